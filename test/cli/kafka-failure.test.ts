import { describe, expect, it } from 'vitest';
import type { Kafka } from '../../src/kafka/client/kafka.ts';
import { withoutRegistry } from '../../src/certificates/framing.ts';
import { runOnTopic } from '../../src/cli/configurations/run-configurations.ts';
import { runTopics } from '../../src/cli/topics.ts';
import { createKafka } from '../../src/kafka/kafkajs/create-kafka.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { startListener, speakPlainHttp } from '../support/endpoints/listeners.ts';
import { aTerminal } from './configurations/terminal.ts';

const wanted = {
  certificates: ['completed'],
  configurations: 'configurations',
  tiers: [],
  tierPrefix: 'retry',
  results: undefined,
  deadLetters: 'dead',
  maxAgeMs: 1000,
  maxRecordBytes: 8_388_608,
};
const onTopic = { topic: wanted.configurations, framed: withoutRegistry };
const list = { verb: 'list', ids: [], owner: undefined, history: false, json: true } as const;

/** Runs a command with a Kafka client and a terminal. */
type Run = (kafka: Kafka, terminal: ReturnType<typeof aTerminal>) => Promise<number>;

const commands: readonly (readonly [name: string, run: Run])[] = [
  ['topics', (kafka, { context }) => runTopics({ ...context, kafka, wanted, create: false, clock: systemClock })],
  ['configurations', (kafka, { context }) => runOnTopic(list, { ...onTopic, admin: kafka, writing: kafka }, context)],
];

describe('a command that cannot talk to the brokers', () => {
  it.each(commands)('prints the settings to check, on one line: %s', async (_name, run) => {
    await using listener = await startListener(speakPlainHttp);
    using kafka = createKafka({
      purpose: 'admin',
      brokers: [`127.0.0.1:${listener.port}`],
      clientId: 'test',
      tls: () => ({}),
      log: () => undefined,
    });
    const terminal = aTerminal();
    expect(await run(kafka, terminal)).toBe(1);
    expect(terminal.err).toEqual([
      expect.stringMatching(
        /Kafka can't be reached or refuses: .+ \(the port does not speak TLS: look at KAFKA_TLS, .+\)$/v,
      ),
    ]);
  });
});
