import { describe, expect, it } from 'vitest';
import { limitFetches } from '../../../../src/kafka/kafkajs/faster/fetch-times.ts';
import { createGroupStates } from '../../../../src/kafka/kafkajs/group-state.ts';
import type { Batch, ConsumerGroup } from '../../../../src/kafka/kafkajs/internals.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';
import { scriptedBatch, scriptedGroup } from '../scripted.ts';

const heartbeatMs = 2000;
const batch = scriptedBatch();

/** A consumer that records the limits of each of its fetches. Each is answered at once. */
class Polling {
  readonly clock = new ManualClock();
  readonly states = createGroupStates();
  readonly waits: number[] = [];
  readonly bytes: number[] = [];
  readonly #group: ConsumerGroup;
  #paused: readonly number[] = [];
  #answer: readonly Batch[] = [];
  #heartbeatAt = 0;

  constructor() {
    const { waits, bytes } = this;
    const answer = (): readonly Batch[] => this.#answer;
    const heartbeatAt = (): number => this.#heartbeatAt;
    this.#group = scriptedGroup({
      subscriptionState: {
        paused: () => (this.#paused.length > 0 ? [{ topic: 'a', partitions: [...this.#paused] }] : []),
        active: () => [],
      },
      fetch: async function recordLimits(this: ConsumerGroup) {
        waits.push(this.maxWaitTime);
        bytes.push(this.minBytes);
        return answer();
      },
      pause: ([first]) => {
        this.#paused = first?.partitions ?? [];
      },
    });
    Object.defineProperty(this.#group, 'lastRequest', { get: heartbeatAt });
    limitFetches(this.#group, this.states, this.clock);
  }

  pause(...partitions: readonly number[]): void {
    this.#group.pause([{ topic: 'a', partitions: [...partitions] }]);
  }

  resumeAll(): void {
    this.#paused = [];
  }

  stop(): void {
    this.states(this.#group).stopping = true;
  }

  async heartbeat(): Promise<void> {
    this.#heartbeatAt = this.clock.monotonic();
    await this.#group.heartbeat({ interval: heartbeatMs });
  }

  async fetchAfter(ms: number, answer: readonly Batch[] = []): Promise<void> {
    this.#answer = answer;
    await this.clock.advance(ms);
    await this.#group.fetch('1');
  }
}

describe('a fetch while a partition is paused', () => {
  it('waits no longer than the time since the latest pause, so that a resumed partition is soon fetched', async () => {
    const polling = new Polling();
    polling.pause(0);
    for (const ms of [0, 5, 25, 70, 140, 60, 10_000]) await polling.fetchAfter(ms);
    expect(polling.waits).toEqual([10, 10, 30, 100, 240, 250, 250]);
    expect(new Set(polling.bytes)).toEqual(new Set([1000]));
  });

  it('has a short wait again after the next pause', async () => {
    const polling = new Polling();
    polling.pause(0);
    await polling.fetchAfter(200);
    polling.pause(0, 1);
    await polling.fetchAfter(20);
    expect(polling.waits).toEqual([200, 20]);
  });

  it('waits for the configured time again once nothing is paused', async () => {
    const polling = new Polling();
    polling.pause(0);
    await polling.fetchAfter(20);
    polling.resumeAll();
    await polling.fetchAfter(0);
    expect(polling.waits).toEqual([20, 250]);
  });
});

describe('a fetch while no partition is paused', () => {
  it('waits for a record until the next heartbeat is due', async () => {
    const polling = new Polling();
    await polling.heartbeat();
    for (const ms of [0, 500.5, 1490]) await polling.fetchAfter(ms);
    expect(polling.waits).toEqual([2000, 1500, 10]);
    expect(polling.bytes).toEqual([1, 1, 1]);
  });

  it('has the configured limits while records come', async () => {
    const polling = new Polling();
    await polling.heartbeat();
    await polling.fetchAfter(100, [batch]);
    for (const ms of [0, 249, 1]) await polling.fetchAfter(ms);
    expect(polling.waits).toEqual([1900, 250, 250, 1650]);
    expect(polling.bytes).toEqual([1, 1000, 1000, 1]);
  });

  it('does not outlast the time to the next heartbeat while records come', async () => {
    const polling = new Polling();
    await polling.heartbeat();
    await polling.fetchAfter(1900, [batch]);
    await polling.fetchAfter(0);
    expect(polling.waits).toEqual([100, 100]);
  });

  it('waits for the configured time while no heartbeat can be sent', async () => {
    const polling = new Polling();
    await polling.fetchAfter(0);
    await polling.heartbeat();
    await polling.fetchAfter(heartbeatMs);
    await polling.fetchAfter(100);
    expect(polling.waits).toEqual([250, 250, 250]);
  });

  it('ends soon once the consumer is stopped', async () => {
    const polling = new Polling();
    await polling.heartbeat();
    polling.stop();
    await polling.fetchAfter(0);
    expect(polling.waits).toEqual([10]);
  });
});
