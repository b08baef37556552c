import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestQueue } from '../../../../src/kafka/kafkajs/internals.ts';
import { repairRequestQueueTimer } from '../../../../src/kafka/kafkajs/repairs/request-queue-timer.ts';

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

function newQueue(checkedAt: number[]): Writable<RequestQueue> {
  const Original: new (options: object) => RequestQueue = createRequire(import.meta.url)(
    'kafkajs/src/network/requestQueue',
  );
  class Repaired extends Original {}
  repairRequestQueueTimer(Repaired.prototype, Date.now);
  const queue = new Repaired({ requestTimeout: 1000, logger: { debug: () => undefined } });
  return Object.assign(queue, { checkPendingRequests: () => checkedAt.push(Date.now()) });
}

describe('the queue of a connection’s requests', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it('sets no timer while no request waits', () => {
    newQueue([]).scheduleCheckPendingRequests();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('checks again when the broker’s throttling ends', () => {
    const checkedAt: number[] = [];
    const queue = newQueue(checkedAt);
    queue.pending = ['a request'];
    queue.throttledUntil = 1_000_700;
    queue.scheduleCheckPendingRequests();
    queue.scheduleCheckPendingRequests();
    vi.runAllTimers();
    expect(checkedAt).toEqual([1_000_700]);
  });

  it('checks again soon without throttling', () => {
    const checkedAt: number[] = [];
    const queue = newQueue(checkedAt);
    queue.pending = ['a request'];
    queue.throttledUntil = -1;
    queue.scheduleCheckPendingRequests();
    vi.runAllTimers();
    expect(checkedAt).toEqual([1_000_010]);
  });
});
