import { describe, expect, it } from 'vitest';
import { pollBrieflyAfterPause } from '../../../src/kafka/kafkajs/brief-poll.ts';
import { createGroupStates } from '../../../src/kafka/kafkajs/group-state.ts';
import type { ConsumerGroup } from '../../../src/kafka/kafkajs/internals.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { scriptedGroup } from './scripted.ts';

/** A consumer that records the `maxWaitTime` of each of its fetches. */
class Polling {
  readonly clock = new ManualClock();
  readonly waits: number[] = [];
  readonly #group: ConsumerGroup;
  #paused: readonly number[] = [];

  constructor() {
    const { waits } = this;
    this.#group = scriptedGroup({
      subscriptionState: {
        paused: () => (this.#paused.length > 0 ? [{ topic: 'a', partitions: [...this.#paused] }] : []),
        active: () => [],
      },
      fetch: async function recordWait(this: ConsumerGroup) {
        waits.push(this.maxWaitTime);
        return [];
      },
      pause: ([first]) => {
        this.#paused = first?.partitions ?? [];
      },
    });
    pollBrieflyAfterPause(this.#group, createGroupStates(), this.clock);
  }

  pause(...partitions: readonly number[]): void {
    this.#group.pause([{ topic: 'a', partitions: [...partitions] }]);
  }

  resumeAll(): void {
    this.#paused = [];
  }

  async fetchAfter(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.#group.fetch('1');
  }
}

describe('a fetch', () => {
  it('waits for the configured time while nothing is paused', async () => {
    const polling = new Polling();
    await polling.fetchAfter(0);
    await polling.fetchAfter(5);
    expect(polling.waits).toEqual([250, 250]);
  });

  it('waits no longer than the time since the latest pause, so that a resumed partition is soon fetched', async () => {
    const polling = new Polling();
    polling.pause(0);
    for (const ms of [0, 5, 25, 70, 140, 60, 10_000]) await polling.fetchAfter(ms);
    expect(polling.waits).toEqual([10, 10, 30, 100, 240, 250, 250]);
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
