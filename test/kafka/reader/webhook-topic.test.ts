import { describe, expect, it } from 'vitest';
import { clientOf } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { WebhookTopic } from '../../../src/kafka/reader/webhook-topic.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { MapTable } from '../support/map-table.ts';
import { ScriptedLog } from '../support/scripted-log.ts';
import { TopicEvents } from '../support/topic-events.ts';

/** Reads a scripted topic into a table, with a clock of its own. */
function startTopic(table = new MapTable()) {
  const [log, clock] = [new ScriptedLog(), new ManualClock()];
  const kafka = clientOf(quietClient([]));
  const topic = new WebhookTopic({ kafka, topic: 'webhooks', table, events: new TopicEvents(), clock }, log);
  return { log, clock, topic };
}

describe('the reader of a topic', () => {
  async function activeFor(seconds: number, { log, clock, topic }: ReturnType<typeof startTopic>): Promise<boolean> {
    const since = clock.monotonic();
    for (let second = 1; second <= seconds; second += 1) {
      log.change();
      await clock.advance(1_000);
    }
    return topic.lastActivityAt() > since;
  }

  it.each(['refresh', 'fetch', 'ends'])(
    'is not active while a request of its client never ends: %s',
    async (request) => {
      const reading = startTopic();
      await using topic = reading.topic;
      expect(await activeFor(20, reading)).toBe(true);
      const stuck = Promise.withResolvers<never>();
      Object.assign(reading.log, { [request]: () => stuck.promise });
      void topic.caughtUp().catch(() => undefined);
      await activeFor(2, reading);
      expect(await activeFor(600, reading)).toBe(false);
      stuck.reject(new Error('no answer'));
      expect(await activeFor(20, reading)).toBe(true);
    },
  );

  it('is active while no broker answers, because it goes on asking', async () => {
    const reading = startTopic();
    await using topic = reading.topic;
    await activeFor(2, reading);
    reading.log.fault = new Error('no broker');
    void topic.caughtUp().catch(() => undefined);
    await activeFor(600, reading);
    expect(await activeFor(10, reading)).toBe(true);
  });
});

it('a topic has not caught up while its table holds documents that can not be read yet', async () => {
  const table = Object.assign(new MapTable(), { holding: 1 });
  const { log, clock, ...reading } = startTopic(table);
  await using topic = reading.topic;
  log.write(0, 'a=1');
  let hasCaughtUp = false;
  void topic.caughtUp().then(() => (hasCaughtUp = true));
  for (let answer = 1; answer <= 100; answer += 1) {
    log.change();
    await clock.advance(1_000);
  }
  expect([table.entries(), topic.isComplete(), hasCaughtUp]).toEqual([{ a: '1' }, false, false]);
  table.holding = 0;
  log.change();
  await clock.advance(0);
  expect([topic.isComplete(), hasCaughtUp]).toEqual([true, true]);
  log.change();
});
