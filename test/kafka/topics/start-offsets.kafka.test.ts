import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import type { StartPosition } from '../../../src/settings/kinds/kafka-kinds.ts';
import { setStartOffsets, StartRefusedError, StartUndecidedError } from '../../../src/kafka/topics/start-offsets.ts';
import { systemClock, type Clock } from '../../../src/lib/clock.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { committedOffsets } from '../../support/kafka/commits.ts';
import { produce } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';

const kafka = quietClient(inject('kafka'));
/** A client as the service creates it, with the repairs of kafkajs. */
const serviceClient = createKafka({
  purpose: 'reading',
  brokers: inject('kafka'),
  clientId: 'start-offsets',
  log: () => undefined,
});

// The broker refuses timestamps ahead of its clock and deletes old records.
const evening = Date.now() - 3_600_000;
const morning = evening - 12 * 3_600_000;

/** Creates a topic of two partitions. The first one holds a record of the morning and one of the evening. */
async function filledTopic(): Promise<string> {
  const topic = await emptyTopic();
  await produce(kafka, topic, [
    { value: 'one', timestamp: morning },
    { value: 'two', timestamp: evening },
  ]);
  return topic;
}

async function emptyTopic(): Promise<string> {
  const topic = uniqueName('certificates');
  await createTopics(kafka, [{ topic, partitions: 2 }]);
  return topic;
}

interface StartCall {
  readonly group: string;
  readonly topics: readonly string[];
  readonly start: StartPosition | undefined;
  readonly clock?: Clock;
}

function setStart({ group, topics, start, clock = systemClock }: StartCall): Promise<void> {
  return setStartOffsets({
    kafka: serviceClient,
    groupId: group,
    topics,
    start,
    clock,
    signal: new AbortController().signal,
  });
}

/** Reads the group's commits in the topic, as pairs of partition and offset. */
async function committed(group: string, topic: string): Promise<readonly (readonly [number, number])[]> {
  const commits = await committedOffsets(kafka, { group, topic });
  return commits.map(({ partition, offset }) => [partition, offset] as const);
}

describe('where the group begins', () => {
  it('has to be set for topics that have records but no commit', async () => {
    const group = uniqueName('group');
    const [filled, empty, other] = [await filledTopic(), await emptyTopic(), await filledTopic()];
    const setting = setStart({ group, topics: [filled, empty, other], start: undefined });
    await expect(setting).rejects.toThrow(StartUndecidedError);
    await expect(setting).rejects.toThrow(new RegExp(`${group} in ${filled}, ${other},.*CERTIFICATE_START.*latest`));
  });

  it('is committed for every partition of every topic if it is the latest', async () => {
    const group = uniqueName('group');
    const topics = [await filledTopic(), await filledTopic()];
    await setStart({ group, topics, start: { kind: 'latest' } });
    for (const topic of topics) {
      expect(await committed(group, topic)).toEqual([
        [0, 2],
        [1, 0],
      ]);
    }
  });

  it('is the first record from a time on', async () => {
    const topic = await filledTopic();
    const times = [morning - 1, morning + 1, evening, evening + 1];
    const firsts = times.map(async (at) => {
      const group = uniqueName('group');
      await setStart({ group, topics: [topic], start: { kind: 'time', at } });
      return committed(group, topic);
    });
    expect((await Promise.all(firsts)).map(([first, second]) => [first?.[1], second?.[1]])).toEqual([
      [0, 0],
      [1, 0],
      [1, 0],
      [2, 0],
    ]);
  });

  it('is agreed on by two processes that start at the same time', async () => {
    const group = uniqueName('group');
    const topic = await filledTopic();
    const call = { group, topics: [topic], start: { kind: 'latest' } } as const;
    await Promise.all([setStart(call), setStart(call)]);
    expect(await committed(group, topic)).toEqual([
      [0, 2],
      [1, 0],
    ]);
  });

  it('can not be set while another member runs that does not subscribe to the topic', async () => {
    const group = uniqueName('group');
    const topic = await filledTopic();
    await using _ = await runningMember(group, await emptyTopic());
    let monotonicMs = 0;
    const clock: Clock = {
      now: () => systemClock.now(),
      monotonic: () => monotonicMs,
      after: (ms, run) => {
        monotonicMs += ms;
        return systemClock.after(ms === 1000 ? 1 : ms, run);
      },
    };
    const setting = setStart({ group, topics: [topic], start: { kind: 'latest' }, clock });
    await expect(setting).rejects.toThrow(StartRefusedError);
    expect(await committed(group, topic)).toEqual([]);
  });
});

async function runningMember(groupId: string, topic: string): Promise<AsyncDisposable> {
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 50 });
  await consumer.connect();
  await consumer.subscribe({ topic });
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.run({ eachMessage: () => Promise.resolve() });
  await joined;
  return { [Symbol.asyncDispose]: () => consumer.disconnect() };
}
