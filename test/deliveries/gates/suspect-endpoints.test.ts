import { describe, expect, it } from 'vitest';
import { capacityOf, leave, refusal, soon, startCrowd, success, timeout } from './gates-under-test.ts';

describe('a hundred endpoints that hang at once', () => {
  const ids = Array.from({ length: 100 }, (_, number) => `hanging-${number}`);
  const times = Array.from({ length: 16 }, (_, index) => index);

  it.each([
    { name: 'in turn', order: () => times.flatMap(() => ids) },
    { name: 'one behind the other', order: () => ids.flatMap((id) => times.map(() => id)) },
  ])('leave capacity to those that do not, when theirs come $name', ({ order }) => {
    using crowd = startCrowd();
    for (const id of order()) void crowd.enter(id);
    expect(crowd.inFlight()).toBeLessThanOrEqual(384 - 48);
    const entries = Array.from({ length: 48 }, (_, number) => crowd.enter(`well-${number}`));
    expect(entries).toEqual(entries.map(() => expect.objectContaining({ kind: 'permit' })));
  });
});

describe('endpoints that are late or fail', () => {
  it('have a quarter of the capacity together, however many they are', async () => {
    using crowd = startCrowd();
    const ids = Array.from({ length: 50 }, (_, number) => `hanging-${number}`);
    for (const id of ids) void crowd.enter(id);
    await crowd.clock.advance(1000);
    for (let round = 0; round < 16; round += 1) for (const id of ids) void crowd.enter(id);
    expect(crowd.inFlight()).toBeGreaterThan(75);
    expect(crowd.inFlight()).toBeLessThanOrEqual(96);
  });

  it('have it as long as they do so, and are in nobody’s way then', async () => {
    using crowd = startCrowd({ maxInFlight: 1, failures: 1000 });
    const ids = Array.from({ length: 300 }, (_, number) => `failing-${number}`);
    for (const id of ids) leave(crowd.enter(id), refusal);
    const out = ids.map((id) => crowd.enter(id));
    expect(crowd.inFlight()).toBe(96);
    expect(crowd.enter('well')).toMatchObject({ kind: 'permit' });
    for (const entry of out) leave(await soon(entry), success);
    for (const id of ids) void crowd.enter(id);
    expect(crowd.inFlight()).toBe(301);
  });

  it('have their full share when they are alone', async () => {
    using crowd = startCrowd();
    void crowd.enter('slow');
    await crowd.clock.advance(1000);
    for (let number = 0; number < 100; number += 1) void crowd.enter('slow');
    expect(crowd.inFlight()).toBe(16);
  });

  it.each([
    { ms: 999, inFlight: 38 },
    { ms: 1000, inFlight: 30 },
  ])('are those with a request out for a second: after $ms ms there are $inFlight', async ({ ms, inFlight }) => {
    using crowd = startCrowd({ maxInFlight: 2, capacity: capacityOf(100) });
    const ids = Array.from({ length: 30 }, (_, number) => `slow-${number}`);
    for (const id of ids) void crowd.enter(id);
    await crowd.clock.advance(ms);
    for (const id of ids) void crowd.enter(id);
    expect(crowd.inFlight()).toBe(inFlight);
  });
});

describe('endpoints that hang', () => {
  it.each([
    { last: 'a timeout', came: [timeout], inFlight: 24 },
    { last: 'a refusal and a timeout', came: [refusal, timeout], inFlight: 24 },
    { last: 'a timeout and a refusal', came: [timeout, refusal], inFlight: 96 },
    { last: 'a timeout and a success', came: [timeout, success], inFlight: 300 },
  ])('are told by what came of them last: after $last, 300 have $inFlight requests out', ({ came, inFlight }) => {
    using crowd = startCrowd({ maxInFlight: 1 });
    const ids = Array.from({ length: 300 }, (_, number) => `endpoint-${number}`);
    for (const id of ids) crowd.let(id, came);
    for (const id of ids) void crowd.enter(id);
    expect(crowd.inFlight()).toBe(inFlight);
  });

  it('have their full share when they are alone', () => {
    using crowd = startCrowd();
    crowd.let('hanging', [timeout]);
    for (let number = 0; number < 100; number += 1) void crowd.enter('hanging');
    expect(crowd.inFlight()).toBe(16);
  });

  it('stand in the way of none that fails with an answer, however many wait', async () => {
    using crowd = startCrowd({ maxInFlight: 1 });
    for (let number = 0; number < 100; number += 1) {
      crowd.let(`hanging-${number}`, [timeout]);
      void crowd.enter(`hanging-${number}`);
    }
    const failing = Array.from({ length: 73 }, (_, number) => `failing-${number}`);
    for (const id of failing) crowd.let(id, [refusal]);
    const entries = failing.map((id) => crowd.enter(id));
    expect(crowd.inFlight()).toBe(96);
    // Whoever waits has had a turn by then, and found no capacity.
    crowd.let('well', [success]);
    leave(await entries[0], refusal);
    expect(await soon(entries[72])).toMatchObject({ kind: 'permit' });
  });

  it('have only what those that fail with an answer leave of the quarter', () => {
    using crowd = startCrowd({ maxInFlight: 1 });
    crowd.let('hanging', [timeout]);
    for (let number = 0; number < 96; number += 1) {
      crowd.let(`failing-${number}`, [refusal]);
      void crowd.enter(`failing-${number}`);
    }
    expect(crowd.enter('hanging')).toBeInstanceOf(Promise);
  });
});
