import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FetchingMember } from './fetching-member.ts';

describe('a fetcher whose broker leads no partition', () => {
  it('looks again after the configured time', async () => {
    const member = new FetchingMember();
    const fetched = member.group.fetch('3');
    await member.clock.advance(249);
    expect(member.clock.pending).toBe(1);
    await member.clock.advance(1);
    expect(await fetched).toEqual([]);
    expect(member.requests).toEqual([]);
  });
});

describe('a fetcher whose partitions are all paused', () => {
  it('sleeps as long as a fetch would wait', async () => {
    const member = new FetchingMember();
    member.pause(0);
    const fetched = member.group.fetch('1');
    await member.clock.advance(250);
    expect(await fetched).toEqual([]);
    expect(member.requests).toEqual([]);
  });

  it('fetches at once when a partition is resumed', async () => {
    const member = new FetchingMember();
    member.pause(0, 1);
    const fetched = member.group.fetch('1');
    await setImmediate();
    expect(member.requests).toEqual([]);
    member.resume(0);
    await fetched;
    expect(member.requests).toHaveLength(1);
    expect(member.clock.pending).toBe(0);
  });

  it.each(Array.from({ length: 20 }, (_, turns) => ({ turns })))(
    'fetches it next when it is resumed $turns turns after a fetch began',
    async ({ turns }) => {
      const member = new FetchingMember();
      member.pause(0);
      const fetched = member.group.fetch('1');
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      member.resume(0);
      await member.clock.advance(250);
      await fetched;
      void member.group.fetch('1');
      await setImmediate();
      expect(member.requests.at(-1)?.partitions).toMatchObject([{ partition: 0 }]);
    },
  );

  it('sleeps on when a partition of another broker is resumed', async () => {
    const member = new FetchingMember();
    member.pause(0, 1);
    const fetched = member.group.fetch('1');
    await setImmediate();
    member.resume(1);
    await member.clock.advance(250);
    expect(await fetched).toEqual([]);
    expect(member.requests).toEqual([]);
  });
});
