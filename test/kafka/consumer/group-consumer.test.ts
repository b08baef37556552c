import { describe, expect, it } from 'vitest';
import { GroupCommits } from '../../../src/kafka/consumer/commits/group-commits.ts';
import { aFlowControl } from '../../support/service/flow-control.ts';
import { GroupConsumer } from '../../../src/kafka/consumer/group-consumer.ts';
import { RecreatedTopics } from '../../../src/kafka/consumer/recreated-topics.ts';
import type { AssignmentContext, Handled } from '../../../src/pipeline/ports.ts';
import { MemoryBroker } from '../../simulation/broker/memory-broker.ts';
import { createMemoryKafka } from '../../simulation/broker/memory-kafka.ts';
import { BrokerConnection, type NetworkEffect, type Request } from '../../simulation/broker/broker-connection.ts';
import { recordEvents } from '../../simulation/environment/recording.ts';
import { ProcessClock } from '../../simulation/time/process-clock.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const sessionTimeoutMs = 6000;
const events = recordEvents('', { add: () => undefined });
const unanswered: NetworkEffect = { kind: 'unanswered', afterMs: 1000 };

/** Starts a consumer with one record in flight. A test can set the effect of the network on each kind of request. */
async function start({ minBytes = 1, committed = new GroupCommits([]) } = {}) {
  const world = new ManualClock();
  const broker = new MemoryBroker(world);
  broker.createTopic('completed', 1);
  const effects = new Map<Request['kind'], NetworkEffect>();
  const network = {
    effectOn: ({ kind }: Request) => effects.get(kind) ?? ({ kind: 'served' } as const),
    latencyMs: () => 1,
  };
  const connection = new BrokerConnection(world, new ProcessClock(world), network);
  const handled = Promise.withResolvers<Handled>();
  const assignments: AssignmentContext[] = [];
  let drains = 0;
  const consumer = new GroupConsumer({
    kafka: createMemoryKafka(broker, connection).kafka,
    readCommitted: async () => committed,
    recreatedTopics: new RecreatedTopics({ events, clock: connection.clock }),
    groupId: 'group',
    topics: ['completed'],
    sessionTimeoutMs,
    shutdownGraceMs: 25_000,
    minBytes,
    instance: 'the only one',
    intake: {
      whenReadable: () => undefined,
      handle: (_, context) => {
        assignments.push(context);
        void handled.promise.then((result) => context.end(result));
      },
      drain: () => void (drains += 1),
      abort: () => undefined,
      open: () => undefined,
      recordConsumed: () => undefined,
      recordSettled: () => undefined,
      recordsSkipped: () => undefined,
    },
    flow: aFlowControl(connection.clock),
    events,
    clock: connection.clock,
  });
  void consumer.start();
  broker.append({ topic: 'completed', partition: 0 }, [{ key: null, value: Buffer.from('{}'), headers: [] }]);
  await world.advance(2000);
  const [assignment] = assignments;
  if (assignment === undefined) throw new Error('the record was not read');
  const stop = async (): Promise<void> => {
    handled.resolve('abandoned');
    const stopped = consumer.stop(0);
    await world.advance(20_000);
    await stopped;
  };
  return {
    world,
    broker,
    effects,
    assignment,
    assignments,
    drains: () => drains,
    settle: () => handled.resolve('delivered'),
    consumer,
    stop,
  };
}

it('fetches less than `minBytes` only after a delay, and more at once', async () => {
  const { broker, world, assignments, stop } = await start({ minBytes: 100 });
  const append = (bytes: number): number =>
    broker.append({ topic: 'completed', partition: 0 }, [{ key: null, value: Buffer.alloc(bytes), headers: [] }]);
  // This is enough for one fetch, so the next one begins now.
  append(100);
  await world.advance(20);
  expect(assignments).toHaveLength(2);
  append(30);
  append(30);
  await world.advance(150);
  expect(assignments).toHaveLength(2);
  append(40);
  await world.advance(20);
  expect(assignments).toHaveLength(5);
  append(99);
  await world.advance(150);
  expect(assignments).toHaveLength(5);
  await world.advance(200);
  expect(assignments).toHaveLength(6);
  await stop();
});

it('commits where a partition without a commit begins, although nothing is settled', async () => {
  const committed = new GroupCommits([], [{ topic: 'completed', partition: 0, start: 0, repeated: 0 }]);
  const { broker, stop } = await start({ committed });
  expect(broker.group('group').committed('completed', 0)?.offset).toBe(0);
  await stop();
});

describe('the assignment of a consumer', () => {
  it('is cut off once its requests have had their time', async () => {
    const { world, assignment, consumer, stop } = await start();
    const stopped = consumer.stop(5000);
    await world.advance(4999);
    expect(assignment.isCutOff).toBe(false);
    await world.advance(1);
    expect(assignment.isCutOff).toBe(true);
    await stop();
    await stopped;
  });

  it('is lost if the group has dropped the member', async () => {
    const { world, effects, assignment, assignments, drains, stop } = await start();
    effects.set('heartbeat', { kind: 'lost', afterMs: 1000 });
    await world.advance(sessionTimeoutMs + 3000);
    const answer = assignment.stillOwned();
    expect(drains()).toBe(0);
    effects.delete('heartbeat');
    while (assignments.length < 2) await world.advance(1);
    expect([await answer, drains(), assignments[1]?.stillOwned()]).toEqual([false, 1, true]);
    await stop();
  });

  it('is lost as soon as a commit is refused for an unknown member, without a heartbeat', async () => {
    const { world, effects, assignment, settle, stop } = await start();
    effects.set('heartbeat', unanswered);
    effects.set('commit', { kind: 'refused', type: 'UNKNOWN_MEMBER_ID' });
    settle();
    while (assignment.stillOwned() === true) await world.advance(1);
    // Nothing is delivered from here on, although the client joins again only later.
    const answer = assignment.stillOwned();
    expect(answer).toBeInstanceOf(Promise);
    await world.advance(1000);
    expect(await answer).toBe(false);
    await stop();
  });

  it('is not waited for if it is given up while unconfirmed', async () => {
    const { world, effects, assignment, consumer, stop } = await start();
    effects.set('heartbeat', unanswered);
    await world.advance(sessionTimeoutMs + 1000);
    const answer = assignment.stillOwned();
    // The record is in flight while `stillOwned` is awaited, and the consumer waits for records in flight.
    const stopped = consumer.stop(60_000);
    await world.advance(0);
    expect(await answer).toBe(false);
    await stop();
    await stopped;
  });
});
