import { expect, it } from 'vitest';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import { PauseControl } from '../../../src/kafka/consumer/pause-control.ts';
import { RecreatedTopics, type TopicAnswer, SubscribedTopics } from '../../../src/kafka/consumer/recreated-topics.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

/** Records each call of the consumer, the admission and the events in order. */
function start() {
  const calls: string[] = [];
  type Topics = readonly { readonly topic: string; readonly partitions?: readonly number[] }[];
  const note = (method: string) => (topics: Topics) =>
    topics.forEach(({ topic, partitions }) => calls.push(`${method} ${topic} ${partitions?.join()}`));
  const events = {
    kafkaUnreachable: () => undefined,
    topicGone: ({ topic }: { topic: string }) => void calls.push(`gone ${topic}`),
    topicDenied: ({ topic }: { topic: string }) => void calls.push(`denied ${topic}`),
    topicRecreated: ({ topic, partitions }: { topic: string; partitions: readonly number[] }) =>
      void calls.push(`recreated ${topic} ${partitions.join()}`),
  };
  const topics = new SubscribedTopics({
    consumer: { seek: ({ topic, partition, offset }) => void calls.push(`seek ${topic}/${partition} to ${offset}`) },
    pauseControl: new PauseControl({ pause: note('pause'), resume: note('resume') }, events),
    admission: { restart: (topic, partition, { to }) => void calls.push(`restart ${topic}/${partition} at ${to}`) },
    recreatedTopics: new RecreatedTopics({ events, clock: new ManualClock() }),
    events,
  });
  return { topics, calls, assignment: new Assignment({ completed: [0, 2], tier: [1] }) };
}

function answer(ids: Readonly<Record<string, string>>, rest: Partial<TopicAnswer> = {}): TopicAnswer {
  return { clusterId: 'cluster', ids: new Map(Object.entries(ids)), denied: [], leaders: new Map(), gone: [], ...rest };
}

const restarted = [
  'recreated completed 0,2',
  'seek completed/0 to 0',
  'restart completed/0 at 0',
  'seek completed/2 to 0',
  'restart completed/2 at 0',
];

it('reads a topic from its first record if its commits belong to an earlier topic', () => {
  const { topics, calls, assignment } = start();
  topics.begin(assignment, answer({ completed: 'a', tier: 'b' }), { completed: [0, 2], tier: [] });
  expect(calls).toEqual(restarted);
});

it('reads a topic from its first record once it has another id', () => {
  const { topics, calls, assignment } = start();
  topics.begin(assignment, answer({ completed: 'a', tier: 'b' }), {});
  topics.recheck(assignment, answer({ completed: 'a', tier: 'b' }));
  expect(calls).toEqual([]);
  topics.recheck(assignment, answer({ completed: 'c', tier: 'b' }));
  expect(calls).toEqual(restarted);
});

it('leaves out topics that are gone or denied, and commits nothing of denied ones', () => {
  const { topics, calls, assignment } = start();
  topics.begin(assignment, answer({ tier: 'b' }, { gone: ['completed'], denied: ['tier'] }), {});
  expect(calls).toEqual(['pause completed 0,2', 'pause tier 1', 'gone completed', 'denied tier']);
});
