import { describe, expect, it } from 'vitest';
import { TopicIdentities } from '../../src/kafka/topic-identities.ts';
import { ManualClock } from '../support/clock.ts';

const create = (): TopicIdentities =>
  new TopicIdentities({ events: { kafkaUnreachable: () => undefined }, clock: new ManualClock() });
const ids = (known: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(known));

describe('the identity of a topic', () => {
  it('is another one once it was deleted and made anew, which is told once', () => {
    const identities = create();
    expect(identities.note(ids({ completed: 'a', expired: 'b' }))).toEqual([]);
    expect(identities.note(ids({ completed: 'c', expired: 'b' }))).toEqual([{ topic: 'completed', id: 'c' }]);
    expect(identities.note(ids({ completed: 'c', expired: 'b' }))).toEqual([]);
  });

  it('is remembered while the topic is gone', () => {
    const identities = create();
    identities.note(ids({ completed: 'a' }));
    expect(identities.note(ids({}))).toEqual([]);
    expect(identities.note(ids({ completed: 'b' }))).toEqual([{ topic: 'completed', id: 'b' }]);
  });

  it('is not another one again when a broker that lags behind tells the old one', () => {
    const identities = create();
    for (const id of ['a', 'b']) identities.note(ids({ completed: id }));
    expect(['a', 'b'].map((id) => identities.note(ids({ completed: id })))).toEqual([[], []]);
  });

  it('is unknown where brokers do not tell it', async () => {
    const identities = create();
    expect(await identities.ask({}, ['completed'])).toEqual(new Map());
    expect(identities.note(new Map())).toEqual([]);
  });
});
