import { describe, expect, it } from 'vitest';
import { RecreatedTopics } from '../../../src/kafka/consumer/recreated-topics.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const create = (): RecreatedTopics =>
  new RecreatedTopics({ events: { kafkaUnreachable: () => undefined }, clock: new ManualClock() });
const ids = (known: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(known));
const none = ids({});

describe('the identity of a topic', () => {
  it('is another one once it was deleted and made anew, which is told once', () => {
    const identities = create();
    expect(identities.recordIds(ids({ completed: 'a', expired: 'b' }))).toEqual(none);
    expect(identities.recordIds(ids({ completed: 'c', expired: 'b' }))).toEqual(ids({ completed: 'c' }));
    expect(identities.recordIds(ids({ completed: 'c', expired: 'b' }))).toEqual(none);
  });

  it('is remembered while the topic is gone', () => {
    const identities = create();
    identities.recordIds(ids({ completed: 'a' }));
    expect(identities.recordIds(ids({}))).toEqual(none);
    expect(identities.recordIds(ids({ completed: 'b' }))).toEqual(ids({ completed: 'b' }));
  });

  it('is not another one again when a broker that lags behind tells the old one', () => {
    const identities = create();
    for (const id of ['a', 'b']) identities.recordIds(ids({ completed: id }));
    expect(['a', 'b'].map((id) => identities.recordIds(ids({ completed: id })))).toEqual([none, none]);
  });

  it('is asked for again while a broker has not heard of the topic yet', async () => {
    const { clock, asked, answer } = startAsking([{ completed: 'a' }, { completed: 'a', tier: 'b' }]);
    await clock.advance(100);
    expect(await answer).toEqual({ ids: ids({ completed: 'a', tier: 'b' }), gone: [] });
    expect(asked).toHaveLength(2);
  });

  it('is not waited for without end: the topic may be gone', async () => {
    const { clock, answer } = startAsking([{ completed: 'a' }]);
    await clock.advance(5000);
    expect(await answer).toEqual({ ids: ids({ completed: 'a' }), gone: ['tier'] });
  });

  it('is unknown of a topic that is gone', async () => {
    const answer = await create().fetchIds({ topicIds: async () => ids({ completed: 'a' }) }, ['completed', 'tier']);
    expect(answer).toEqual({ ids: ids({ completed: 'a' }), gone: ['tier'] });
  });

  it('is unknown where brokers do not tell it, and then no topic counts as gone', async () => {
    const identities = create();
    const untold = { ids: new Map(), gone: [] };
    expect(await identities.fetchIds({}, ['completed'])).toEqual(untold);
    expect(await identities.fetchIdsWithRetry({}, ['completed'], new AbortController().signal)).toEqual(untold);
    expect(identities.recordIds(new Map())).toEqual(none);
  });
});

/** Asks for two topics of brokers that answer so in turn, the last answer again and again. */
function startAsking(answers: readonly Readonly<Record<string, string>>[]) {
  const clock = new ManualClock();
  const identities = new RecreatedTopics({ events: { kafkaUnreachable: () => undefined }, clock });
  const asked: (readonly string[])[] = [];
  const topicIds = (topics: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const known = answers[Math.min(asked.length, answers.length - 1)] ?? {};
    asked.push(topics);
    return Promise.resolve(ids(known));
  };
  const answer = identities.fetchIdsWithRetry({ topicIds }, ['completed', 'tier'], new AbortController().signal);
  return { clock, asked, answer };
}
