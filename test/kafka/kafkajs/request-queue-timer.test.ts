import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestQueue } from '../../../src/kafka/kafkajs/internals.ts';
import { repairRequestQueueTimer } from '../../../src/kafka/kafkajs/request-queue-timer.ts';

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

function newQueue(looks: number[]): Writable<RequestQueue> {
  const Original: new (options: object) => RequestQueue = createRequire(import.meta.url)(
    'kafkajs/src/network/requestQueue',
  );
  class Repaired extends Original {}
  repairRequestQueueTimer(Repaired.prototype);
  const queue = new Repaired({ requestTimeout: 1000, logger: { debug: () => undefined } });
  return Object.assign(queue, { checkPendingRequests: () => looks.push(Date.now()) });
}

describe('the queue of a connection’s requests', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it('sets no timer while no request waits', () => {
    newQueue([]).scheduleCheckPendingRequests();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('looks again when the broker’s throttling ends', () => {
    const looks: number[] = [];
    const queue = newQueue(looks);
    queue.pending = ['a request'];
    queue.throttledUntil = 1_000_700;
    queue.scheduleCheckPendingRequests();
    queue.scheduleCheckPendingRequests();
    vi.runAllTimers();
    expect(looks).toEqual([1_000_700]);
  });

  it('looks again soon when nothing throttles it', () => {
    const looks: number[] = [];
    const queue = newQueue(looks);
    queue.pending = ['a request'];
    queue.throttledUntil = -1;
    queue.scheduleCheckPendingRequests();
    vi.runAllTimers();
    expect(looks).toEqual([1_000_010]);
  });
});
