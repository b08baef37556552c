import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConsumerGroup, RequestQueue } from '../../../../src/kafka/kafkajs/internals.ts';
import { KafkajsMismatchError } from '../../../../src/kafka/kafkajs/load.ts';
import { measureMonotonically } from '../../../../src/kafka/kafkajs/repairs/monotonic-durations.ts';

const require = createRequire(import.meta.url);
const hourMs = 3_600_000;
const quiet = { debug: () => undefined, namespace: () => quiet };

/** The files of kafkajs that read the wall clock on purpose: timestamps of records, commits and events. */
const timestamps = /^(?:protocol\/|instrumentation\/event\.js$)/;

measureMonotonically();

describe('kafkajs', () => {
  it('reads the wall clock for timestamps only', () => {
    const folder = `${dirname(require.resolve('kafkajs/package.json'))}/src`;
    const files = globSync('**/*.js', { cwd: folder }).filter((path) => !path.endsWith('.spec.js'));
    const reading = files.filter((path) => /\bDate\.now\b/.test(readFileSync(`${folder}/${path}`, 'utf8')));
    expect(reading.filter((path) => !timestamps.test(path)).toSorted()).toEqual([
      'cluster/brokerPool.js',
      'consumer/consumerGroup.js',
      'consumer/offsetManager/index.js',
      'consumer/runner.js',
      'network/requestQueue/index.js',
      'network/requestQueue/socketRequest.js',
    ]);
  });

  it('is refused when one of its files measures nothing, because it is another version then', () => {
    const other: NodeJS.Require = Object.assign((): unknown => ({}), require, { cache: {} });
    expect(() => measureMonotonically(other)).toThrow(KafkajsMismatchError);
  });
});

describe.each([
  { how: 'set back', jumpMs: -hourMs },
  { how: 'set forward', jumpMs: hourMs },
])('kafkajs, when the wall clock is $how by an hour', ({ jumpMs }) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const jump = (): void => void vi.setSystemTime(Date.now() + jumpMs);

  it('sends its heartbeats at their interval', async () => {
    const { group, sent } = newMember();
    jump();
    await group.heartbeat({ interval: 3000 });
    expect(sent()).toBe(0);
    await vi.advanceTimersByTimeAsync(3000);
    await group.heartbeat({ interval: 3000 });
    expect(sent()).toBe(1);
  });

  it('ends a request after its timeout, and not before', async () => {
    const queue = newQueue();
    const timedOut = vi.fn<() => void>();
    queue.inflight.set(1, { sentAt: monotonic(), requestTimeout: 5000, timeoutRequest: timedOut });
    queue.scheduleRequestTimeoutCheck();
    jump();
    await vi.advanceTimersByTimeAsync(5000);
    expect(timedOut).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect(timedOut).toHaveBeenCalled();
    queue.destroy();
  });

  it('sends again when the time for which the broker throttles it is over', async () => {
    const queue = newQueue();
    queue.maybeThrottle(2000);
    jump();
    expect(queue.canSendSocketRequestImmediately()).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(queue.canSendSocketRequestImmediately()).toBe(true);
  });
});

function monotonic(): number {
  return Math.floor(performance.now());
}

interface Queue extends RequestQueue {
  readonly inflight: Map<number, { sentAt: number; requestTimeout: number; timeoutRequest: () => void }>;
  scheduleRequestTimeoutCheck(): void;
  maybeThrottle(ms: number): void;
  canSendSocketRequestImmediately(): boolean;
  destroy(): void;
}

function newQueue(): Queue {
  const Queue: new (options: object) => Queue = require('kafkajs/src/network/requestQueue');
  return new Queue({ requestTimeout: 5000, enforceRequestTimeout: true, logger: quiet });
}

function newMember(): { readonly group: ConsumerGroup; readonly sent: () => number } {
  const Group: new (options: object) => ConsumerGroup = require('kafkajs/src/consumer/consumerGroup');
  const heartbeat = vi.fn<() => Promise<void>>(async () => undefined);
  const group = new Group({ logger: quiet, instrumentationEmitter: { emit: () => undefined }, retry: {} });
  Object.assign(group, { memberId: 'member', coordinator: { heartbeat } });
  return { group, sent: () => heartbeat.mock.calls.length };
}
