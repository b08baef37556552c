import { describe, expect, it } from 'vitest';
import type { TopicStates } from '../../../src/kafka/client/consumer.ts';
import { RecreatedTopics } from '../../../src/kafka/consumer/recreated-topics.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const create = (): RecreatedTopics =>
  new RecreatedTopics({ events: { kafkaUnreachable: () => undefined }, clock: new ManualClock() });
const ids = (known: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(known));
const none = ids({});
const states = (known: Readonly<Record<string, string>>, denied: readonly string[] = []) => ({
  clusterId: 'cluster',
  ids: ids(known),
  denied,
  leaders: new Map(),
});

describe('the id of a topic', () => {
  it('changes when the topic is recreated, which is reported once', () => {
    const topics = create();
    expect(topics.recordIds(ids({ completed: 'a', expired: 'b' }))).toEqual(none);
    expect(topics.recordIds(ids({ completed: 'c', expired: 'b' }))).toEqual(ids({ completed: 'c' }));
    expect(topics.recordIds(ids({ completed: 'c', expired: 'b' }))).toEqual(none);
  });

  it('is remembered while the topic is gone', () => {
    const topics = create();
    topics.recordIds(ids({ completed: 'a' }));
    expect(topics.recordIds(ids({}))).toEqual(none);
    expect(topics.recordIds(ids({ completed: 'b' }))).toEqual(ids({ completed: 'b' }));
  });

  it('does not count as changed when a broker that lags behind reports the old one', () => {
    const topics = create();
    for (const id of ['a', 'b']) topics.recordIds(ids({ completed: id }));
    expect(['a', 'b'].map((id) => topics.recordIds(ids({ completed: id })))).toEqual([none, none]);
  });

  it('is asked for again while a broker does not know the topic yet', async () => {
    const { clock, asked, answer } = startAsking([{ completed: 'a' }, { completed: 'a', tier: 'b' }]);
    await clock.advance(100);
    expect(await answer).toMatchObject({ ids: ids({ completed: 'a', tier: 'b' }), gone: [] });
    expect(asked).toHaveLength(2);
  });

  it('is asked for during a limited time, because the topic may be gone', async () => {
    const { clock, answer } = startAsking([{ completed: 'a' }]);
    await clock.advance(5000);
    expect(await answer).toMatchObject({ ids: ids({ completed: 'a' }), gone: ['tier'] });
  });

  it('is not needed to see that a topic is denied, which is not gone then', async () => {
    const topicStates = async (): Promise<TopicStates> => states({ completed: 'a' }, ['tier']);
    const answer = await create().fetchStates({ topicStates }, ['completed', 'tier']);
    expect(answer).toMatchObject({ denied: ['tier'], gone: [] });
  });

  it('is unknown if brokers have no ids, and then no topic counts as gone', async () => {
    const topics = create();
    const empty = { clusterId: undefined, ids: new Map(), denied: [], leaders: new Map(), gone: [] };
    expect(await topics.fetchStates({}, ['completed'])).toEqual(empty);
    expect(await topics.fetchStatesWithRetry({}, ['completed'], new AbortController().signal)).toEqual(empty);
    expect(topics.recordIds(new Map())).toEqual(none);
  });
});

/** Asks for the ids of two topics. The brokers give these answers in turn, and then repeat the last one. */
function startAsking(answers: readonly Readonly<Record<string, string>>[]) {
  const clock = new ManualClock();
  const topics = new RecreatedTopics({ events: { kafkaUnreachable: () => undefined }, clock });
  const asked: (readonly string[])[] = [];
  const topicStates = (names: readonly string[]): Promise<TopicStates> => {
    const known = answers[Math.min(asked.length, answers.length - 1)] ?? {};
    asked.push(names);
    return Promise.resolve(states(known));
  };
  const answer = topics.fetchStatesWithRetry({ topicStates }, ['completed', 'tier'], new AbortController().signal);
  return { clock, asked, answer };
}
