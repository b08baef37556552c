import { expect, it } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import { LagMonitor } from '../../../src/kafka/consumer/lag-monitor.ts';
import { progressOf } from '../../../src/kafka/consumer/partition-progress.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { startMemoryKafka } from '../../support/kafka/memory/start-memory-kafka.ts';
import { produceKeys } from '../../support/kafka/records.ts';
import { eventually } from '../../support/time/eventually.ts';
import { fastClock } from '../support/fast-clock.ts';

const topic = 'completed';

it('counts what an open transaction holds back as lag, and names it where nothing else is left to read', async () => {
  await using kafka = await startMemoryKafka();
  kafka.broker.createTopic(topic, 1);
  const write = (...keys: readonly string[]): Promise<unknown> => produceKeys(quietClient(kafka.brokers), topic, keys);
  using client = createKafka({ purpose: 'admin', brokers: kafka.brokers, clientId: 'test', log: () => undefined });
  const assigned = { [topic]: [0] };
  await using lags = new LagMonitor({
    kafka: client,
    groupId: 'group',
    assigned: () => assigned,
    events: { kafkaUnreachable: ({ error }) => expect.fail(String(error)) },
    clock: fastClock,
  });
  const unread = new Assignment(assigned);
  const read = new Assignment(assigned);
  read.open(topic, 0, 1);
  const progress = (assignment: Assignment) =>
    progressOf(assignment, lags).map(({ lag, pausedBy }) => ({ lag, pausedBy }));
  await write('before');
  kafka.broker.disturb({ topic, partition: 0 }, (log) => log.openTransaction());
  await write('behind');
  await eventually('the transaction is named', async () => progress(read)[0]?.pausedBy !== undefined);
  expect(progress(read)).toEqual([{ lag: 2, pausedBy: 'transaction' }]);
  expect(progress(unread)).toEqual([{ lag: 3, pausedBy: undefined }]);
  kafka.broker.disturb({ topic, partition: 0 }, (log) => log.abortTransaction());
  await eventually('it is over', async () => progress(read)[0]?.pausedBy === undefined);
  expect(progress(read)).toEqual([{ lag: 3, pausedBy: undefined }]);
});
