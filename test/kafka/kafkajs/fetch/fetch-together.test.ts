import { describe, expect, it } from 'vitest';
import type { PartitionData } from '../../../../src/kafka/kafkajs/internals.ts';
import { aRecord, dataOf, FetchingMember } from './fetching-member.ts';

const stepMs = 0.25;

/** Reads two seconds of records that come at regular times. Returns the answers of the last second, and the longest wait. */
async function read(perSecond: number): Promise<{ readonly answers: number; readonly longestMs: number }> {
  const member = new FetchingMember();
  const { clock, group } = member;
  const written = Array.from({ length: 2 * perSecond }, (_, index) => (index * 1000) / perSecond);
  let [answers, longestMs, next] = [0, 0, 0];
  member.answer = async () => {
    const arrived = (): readonly number[] => written.slice(next).filter((at) => at <= clock.monotonic());
    // A broker holds an empty answer back until a record comes.
    while (arrived().length === 0) await new Promise<void>((resolve) => void clock.after(stepMs, resolve));
    const now = clock.monotonic();
    if (now >= 1000) answers += 1;
    longestMs = Math.max(longestMs, now - (arrived()[0] ?? now));
    const { length } = arrived();
    next += length;
    return [dataWith(length)];
  };
  const reading = (async () => {
    while (next < written.length) await group.fetch('1');
  })();
  while (next < written.length) await clock.advance(stepMs);
  await reading;
  return { answers, longestMs };
}

function dataWith(records: number): PartitionData {
  return dataOf(Array.from({ length: records }, (_, offset) => aRecord(offset)));
}

describe('fetches', () => {
  it('are one for each record while records are rare', async () => {
    expect(await read(200)).toEqual({ answers: 200, longestMs: 0 });
  });

  it.each([600, 1000, 4000])(
    'are 250 a second for %i records, and no record waits for more than 4 ms',
    async (rate) => {
      const { answers, longestMs } = await read(rate);
      expect(answers).toBeLessThanOrEqual(251);
      expect(longestMs).toBeLessThanOrEqual(4);
    },
  );

  it('from two brokers do not wait for each other', async () => {
    const member = new FetchingMember();
    const { clock, group, taken } = member;
    member.answer = async (_, broker) => [dataWith(broker === '1' ? 1000 : 1)];
    await group.fetch('1');
    await group.fetch('2');
    await group.fetch('2');
    expect(taken).toHaveLength(3);
    const together = group.fetch('1');
    expect(clock.pending).toBe(1);
    await clock.advance(4);
    await together;
    expect(taken).toHaveLength(4);
  });
});
