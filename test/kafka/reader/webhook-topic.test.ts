import { expect, it } from 'vitest';
import { clientOf } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { WebhookTopic } from '../../../src/kafka/reader/webhook-topic.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { MapTable } from '../support/map-table.ts';
import { ScriptedLog } from '../support/scripted-log.ts';
import { TopicEvents } from '../support/topic-events.ts';

it('a topic has not caught up while its table holds documents that can not be read yet', async () => {
  const [log, clock] = [new ScriptedLog(), new ManualClock()];
  log.write(0, 'a=1');
  const table = Object.assign(new MapTable(), { holding: 1 });
  const kafka = clientOf(quietClient([]));
  await using topic = new WebhookTopic({ kafka, topic: 'webhooks', table, events: new TopicEvents(), clock }, log);
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
