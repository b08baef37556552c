import { describe, expect, it } from 'vitest';
import { fetchTogether } from '../../../../src/kafka/kafkajs/faster/fetch-times.ts';
import { createGroupStates } from '../../../../src/kafka/kafkajs/group-state.ts';
import type { Batch } from '../../../../src/kafka/kafkajs/internals.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';
import { scriptedGroup } from '../scripted.ts';

const stepMs = 0.25;

/** Reads two seconds of records that come at regular times. Returns the answers of the last second, and the longest wait. */
async function read(perSecond: number): Promise<{ readonly answers: number; readonly longestMs: number }> {
  const clock = new ManualClock();
  const written = Array.from({ length: 2 * perSecond }, (_, index) => (index * 1000) / perSecond);
  let [answers, longestMs, next] = [0, 0, 0];
  const group = scriptedGroup({
    async fetch() {
      const now = clock.monotonic();
      const arrived = written.slice(next).filter((at) => at <= now);
      if (arrived.length === 0) return [];
      if (now >= 1000) answers += 1;
      longestMs = Math.max(longestMs, now - (arrived[0] ?? now));
      next += arrived.length;
      return [batchOf(arrived.length)];
    },
  });
  fetchTogether(group, createGroupStates(), clock);
  const reading = (async () => {
    while (next < written.length) {
      const batches = await group.fetch('1');
      // A broker holds an empty answer back until a record comes.
      if (batches.length === 0) await new Promise<void>((resolve) => void clock.after(stepMs, resolve));
    }
  })();
  while (next < written.length) await clock.advance(stepMs);
  await reading;
  return { answers, longestMs };
}

function batchOf(records: number): Batch {
  return Object.assign(Object.create(null), { rawMessages: Array.from({ length: records }) });
}

describe('fetches', () => {
  it('are one for each record while records are rare', async () => {
    expect(await read(200)).toEqual({ answers: 200, longestMs: 0 });
  });

  it('are about a hundred a second once records come often, and no record waits for more than 10 ms', async () => {
    const { answers, longestMs } = await read(1000);
    expect(answers).toBeLessThanOrEqual(101);
    expect(longestMs).toBeLessThanOrEqual(10);
  });

  it('from two brokers do not wait for each other', async () => {
    const clock = new ManualClock();
    const group = scriptedGroup({ fetch: async (broker) => [batchOf(broker === 'busy' ? 1000 : 1)] });
    fetchTogether(group, createGroupStates(), clock);
    await group.fetch('busy');
    await group.fetch('quiet');
    expect(await group.fetch('quiet')).toHaveLength(1);
    const together = group.fetch('busy');
    expect(clock.pending).toBe(1);
    await clock.advance(10);
    expect(await together).toHaveLength(1);
  });
});
