import { describe, expect, it } from 'vitest';
import { runHere } from '../cli/program.ts';
import { authentications } from '../support/builders.ts';
import { recordProblems, type MessageName } from '../support/contracts/asyncapi-checks.ts';
import { produce, readTopic, type RecordRead } from '../support/kafka/records.ts';
import { longTimeouts } from '../support/service/platform.ts';
import { startOnce } from '../support/service/start-once.ts';
import { aSubscriber } from '../support/service/subscriber.ts';
import { eventually } from '../support/time/eventually.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const delays = ['100ms', '200ms'] as const;

describe('the records that the service writes', () => {
  const running = startOnce({
    delays,
    results: true,
    environment: { ...longTimeouts, CIRCUIT_FAILURES: '2', CIRCUIT_COOLDOWN: '100ms' },
  });

  it('are as the AsyncAPI document describes them', async () => {
    const { platform, service } = running;
    const failing = aSubscriber(platform, { answers: [500] });
    const paused = aSubscriber(platform);
    await platform.configure(failing.configuration({ auth: authentications.custom_header }));
    await platform.configure(paused.configuration({ paused: true }));
    const headers = { traceparent, tracestate: 'vendor=1', 'x-own': '1' };
    await produce(platform.kafka, platform.topics.completed, [
      { key: failing.ownerId, value: JSON.stringify(failing.certificate()), headers },
      { key: paused.ownerId, value: JSON.stringify(paused.certificate()) },
      { key: 'broken', value: '{', headers },
    ]);
    await service.logged('delivery.dead_lettered', 1, { ownerId: failing.ownerId });
    await service.logged('record.rejected', 1);
    await service.logged('delivery.deferred', 1, { ownerId: paused.ownerId });
    expect(await runHere(platform.environment, 'dead-letters', 'replay', '--owner', failing.ownerId)).toMatchObject({
      code: 0,
    });
    await service.logged('delivery.dead_lettered', 2, { ownerId: failing.ownerId });
    await eventually('a circuit has changed', async () => (await platform.results()).some(isOfEndpoint));

    const retries = (await Promise.all(delays.map((delay) => platform.tier(delay)))).flat();
    expect(retries.some((record) => 'dead-letter-offset' in record.headers)).toBe(true);
    expect(retries.some((record) => record.headers['traceparent'] === traceparent)).toBe(true);
    expect(retries.flatMap((record) => recordProblems('retry', record))).toEqual([]);

    const deadLetters = (await platform.deadLetters()).map((record) => [kindOf(record), record] as const);
    expect(new Set(deadLetters.map(([kind]) => kind))).toEqual(new Set(['deadDelivery', 'deadRecord', 'replayMarker']));
    expect(deadLetters.flatMap(([kind, record]) => recordProblems(kind, record))).toEqual([]);

    const results = await platform.results();
    expect(results.flatMap((record) => recordProblems('result', record))).toEqual([]);
    const configurations = await readTopic(platform.kafka, platform.topics.configurations);
    expect(configurations.flatMap((record) => recordProblems('configuration', record))).toEqual([]);
  });
});

/** Tells the records of the dead-letter topic apart by their headers, as the document says. */
function kindOf({ headers }: RecordRead): MessageName {
  if ('replayed-at' in headers) return 'replayMarker';
  return 'delivery-id' in headers ? 'deadDelivery' : 'deadRecord';
}

function isOfEndpoint({ value }: RecordRead): boolean {
  return String(value).includes('endpoint.changed');
}
