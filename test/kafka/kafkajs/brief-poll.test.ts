import { describe, expect, it } from 'vitest';
import { pollBrieflyAfterPause } from '../../../src/kafka/kafkajs/brief-poll.ts';
import { createGroupStates } from '../../../src/kafka/kafkajs/group-state.ts';
import type { ConsumerGroup } from '../../../src/kafka/kafkajs/internals.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { scriptedGroup } from './scripted.ts';

/** A member that notes how long each of its fetches was to wait. */
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
      fetch: async function noteWait(this: ConsumerGroup) {
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
  it('waits for what is new as long as it is to, while nothing is paused', async () => {
    const polling = new Polling();
    await polling.fetchAfter(0);
    await polling.fetchAfter(5);
    expect(polling.waits).toEqual([250, 250]);
  });

  it('waits no longer than a pause has lasted, so that what is resumed is soon asked for', async () => {
    const polling = new Polling();
    polling.pause(0);
    for (const ms of [0, 5, 25, 70, 140, 60, 10_000]) await polling.fetchAfter(ms);
    expect(polling.waits).toEqual([10, 10, 30, 100, 240, 250, 250]);
  });

  it('starts anew with the next pause', async () => {
    const polling = new Polling();
    polling.pause(0);
    await polling.fetchAfter(200);
    polling.pause(0, 1);
    await polling.fetchAfter(20);
    expect(polling.waits).toEqual([200, 20]);
  });

  it('waits as before once nothing is paused any more', async () => {
    const polling = new Polling();
    polling.pause(0);
    await polling.fetchAfter(20);
    polling.resumeAll();
    await polling.fetchAfter(0);
    expect(polling.waits).toEqual([20, 250]);
  });
});
