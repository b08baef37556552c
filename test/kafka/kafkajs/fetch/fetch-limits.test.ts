import { describe, expect, it } from 'vitest';
import type { PartitionData } from '../../../../src/kafka/kafkajs/internals.ts';
import { dataOf, FetchingMember, heartbeatMs } from './fetching-member.ts';

/** A member whose fetches are each answered at once. */
class Polling extends FetchingMember {
  get waits(): readonly number[] {
    return this.requests.map(({ maxWaitTime }) => maxWaitTime);
  }

  get bytes(): readonly number[] {
    return this.requests.map(({ minBytes }) => minBytes);
  }

  beat(): void {
    this.heartbeatAt = this.clock.monotonic();
    this.state.heartbeatIntervalMs = heartbeatMs;
  }

  async fetchAfter(ms: number, answer: readonly PartitionData[] = []): Promise<void> {
    this.answer = async () => answer;
    await this.clock.advance(ms);
    await this.group.fetch('2');
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
    polling.pause(0);
    await polling.fetchAfter(20);
    expect(polling.waits).toEqual([200, 20]);
  });

  it('waits for the configured time again once nothing is paused', async () => {
    const polling = new Polling();
    polling.pause(0);
    await polling.fetchAfter(20);
    polling.resume(0);
    await polling.fetchAfter(0);
    expect(polling.waits).toEqual([20, 250]);
  });
});

describe('a fetch while no partition is paused', () => {
  it('waits for a record until the next heartbeat is due', async () => {
    const polling = new Polling();
    polling.beat();
    for (const ms of [0, 500.5, 1490]) await polling.fetchAfter(ms);
    expect(polling.waits).toEqual([2000, 1500, 10]);
    expect(polling.bytes).toEqual([1, 1, 1]);
  });

  it('has the configured limits while records come', async () => {
    const polling = new Polling();
    polling.beat();
    await polling.fetchAfter(100, [dataOf()]);
    for (const ms of [0, 249, 1]) await polling.fetchAfter(ms);
    expect(polling.waits).toEqual([1900, 250, 250, 1650]);
    expect(polling.bytes).toEqual([1, 1000, 1000, 1]);
  });

  it('does not outlast the time to the next heartbeat while records come', async () => {
    const polling = new Polling();
    polling.beat();
    await polling.fetchAfter(1900, [dataOf()]);
    await polling.fetchAfter(0);
    expect(polling.waits).toEqual([100, 100]);
  });

  it('waits for the configured time while no heartbeat can be sent', async () => {
    const polling = new Polling();
    await polling.fetchAfter(0);
    polling.beat();
    await polling.fetchAfter(heartbeatMs);
    await polling.fetchAfter(100);
    expect(polling.waits).toEqual([250, 250, 250]);
  });

  it('ends soon once the consumer is stopped', async () => {
    const polling = new Polling();
    polling.beat();
    polling.state.stopping = true;
    await polling.fetchAfter(0);
    expect(polling.waits).toEqual([10]);
  });
});
