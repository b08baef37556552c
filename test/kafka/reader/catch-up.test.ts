import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CatchUp } from '../../../src/kafka/reader/webhook-topic.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

type Ends = ReadonlyMap<number, number>;

/** A reader at `position` of a topic. The test answers its requests for the end. */
class Reader {
  readonly clock = new ManualClock();
  readonly requests: PromiseWithResolvers<Ends | undefined>[] = [];
  position = 0;
  readonly catchUp = new CatchUp({
    ask: () => {
      const request = Promise.withResolvers<Ends | undefined>();
      this.requests.push(request);
      return request.promise;
    },
    hasReached: (ends) => (ends.get(0) ?? 0) <= this.position,
    clock: this.clock,
  });
  readonly caughtUp: string[] = [];

  call(name: string): void {
    this.catchUp.caughtUp().then(
      () => this.caughtUp.push(name),
      (error: unknown) => this.caughtUp.push(`${name}: ${String(error)}`),
    );
  }

  /** Answers the newest request, and lets the next one go out. */
  async answer(end: number): Promise<void> {
    this.requests.at(-1)?.resolve(new Map([[0, end]]));
    await this.clock.advance(5);
  }

  async reach(position: number): Promise<void> {
    this.position = position;
    this.catchUp.progressed();
    await setImmediate();
  }
}

/** Returns a reader that has asked for the end because of the call `a`. */
async function asked(): Promise<Reader> {
  const reader = new Reader();
  reader.call('a');
  await reader.clock.advance(0);
  return reader;
}

describe('catching up with a topic', () => {
  it('resolves once the reader is where the topic ended after the call', async () => {
    const reader = await asked();
    await reader.answer(3);
    await reader.reach(2);
    expect(reader.caughtUp).toEqual([]);
    await reader.reach(3);
    expect(reader.caughtUp).toEqual(['a']);
  });

  it('shares one request among all calls of the same turn, however late in it', async () => {
    const reader = new Reader();
    reader.call('a');
    for (let step = 0; step < 100; step += 1) await Promise.resolve();
    reader.call('b');
    await reader.clock.advance(0);
    await reader.answer(0);
    expect(reader.requests).toHaveLength(1);
    expect(reader.caughtUp).toEqual(['a', 'b']);
  });

  it('makes calls wait for the next request while one is in flight', async () => {
    const reader = await asked();
    for (const name of ['b', 'c']) reader.call(name);
    await reader.answer(0);
    expect(reader.caughtUp).toEqual(['a']);
    expect(reader.requests).toHaveLength(2);
    await reader.answer(1);
    expect(reader.caughtUp).toEqual(['a']);
    await reader.reach(1);
    expect(reader.caughtUp).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { tookMs: 0, spacingMs: 1 },
    { tookMs: 3, spacingMs: 3 },
    { tookMs: 40, spacingMs: 5 },
  ])('asks again $spacingMs ms after a request that took $tookMs ms', async ({ tookMs, spacingMs }) => {
    const reader = new Reader();
    reader.call('a');
    await reader.clock.advance(tookMs);
    reader.requests[0]?.resolve(new Map());
    await setImmediate();
    reader.call('b');
    await reader.clock.advance(spacingMs - 1);
    expect(reader.requests).toHaveLength(1);
    await reader.clock.advance(1);
    expect(reader.requests).toHaveLength(2);
  });

  it('sends no request once it is closed', async () => {
    const reader = await asked();
    reader.requests[0]?.resolve(new Map());
    await setImmediate();
    reader.call('b');
    reader.catchUp.close(new Error('closed'));
    await reader.clock.advance(5);
    expect(reader.requests).toHaveLength(1);
    expect(reader.caughtUp).toEqual(['a', 'b: Error: closed']);
  });

  it('asks again for waiting calls when the reader starts over', async () => {
    const reader = await asked();
    await reader.answer(1000);
    reader.catchUp.restarted();
    await reader.clock.advance(5);
    expect(reader.requests).toHaveLength(2);
    await reader.answer(2);
    await reader.reach(2);
    expect(reader.caughtUp).toEqual(['a']);
  });

  it('asks again when the reader started over while a request was in flight', async () => {
    const reader = await asked();
    reader.call('b');
    reader.catchUp.restarted();
    await reader.answer(1000);
    await reader.answer(2);
    await reader.reach(2);
    expect(reader.caughtUp).toEqual(['b', 'a']);
  });

  it('rejects all waiting and later calls once it is closed', async () => {
    const reader = new Reader();
    reader.call('behind');
    await reader.clock.advance(0);
    await reader.answer(5);
    reader.call('asked for');
    await reader.clock.advance(5);
    reader.call('not asked for');
    reader.catchUp.close(new Error('closed'));
    reader.requests.at(-1)?.resolve(undefined);
    reader.call('late');
    await setImmediate();
    expect(reader.caughtUp.toSorted()).toEqual(
      ['asked for', 'behind', 'late', 'not asked for'].map((name) => `${name}: Error: closed`),
    );
    expect(reader.clock.pending).toBe(0);
  });
});
