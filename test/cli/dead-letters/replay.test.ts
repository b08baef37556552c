import { expect, it } from 'vitest';
import { ReplayCounts } from '../../../src/cli/dead-letters/replay-counts.ts';
import { batchSize, replay, type ReplayOptions } from '../../../src/cli/dead-letters/replay.ts';
import { ReplayedOffsets } from '../../../src/kafka/records/replayed-offsets.ts';
import type { TopicScan } from '../../../src/kafka/reader/topic-scan.ts';
import { aRecord } from '../../support/builders.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { deadDelivery, theDelivery } from './dead-letters.ts';

const scan: Pick<TopicScan, 'offsets' | 'readAll'> = {
  offsets: () => 1_200,
  async *readAll() {
    const records = Array.from({ length: 1_200 }, (_, offset) =>
      aRecord({ ...deadDelivery(theDelivery('topic', offset)), topic: 'dead', offset, timestamp: 0 }),
    );
    await Promise.resolve();
    yield { records, offsets: records.length };
  },
};

function options(overrides: Partial<ReplayOptions>): ReplayOptions {
  const notAsked = (): never => {
    throw new Error('nobody asks');
  };
  const clock = new ManualClock();
  return {
    deadLetterScan: { replayed: new ReplayedOffsets(), selected: 1_200, isSelected: () => true, unmarkedSince: undefined },
    inFirstTier: new ReplayedOffsets(),
    again: false,
    writer: undefined,
    planner: { decode: notAsked, webhooks: notAsked, plan: notAsked },
    isCertificateTopic: () => true,
    isTier: () => false,
    counts: new ReplayCounts(1_200),
    screen: { clock, err: () => undefined, bar: undefined },
    clock,
    signal: new AbortController().signal,
    ...overrides,
  };
}

it('writes a batch, then marks it, and only then goes on to the next', async () => {
  const story: string[] = [];
  await replay(
    scan,
    options({
      writer: {
        publishRetries: async (deliveries) => {
          story.push(`write ${deliveries.length}`);
          await new Promise(setImmediate);
          story.push('written');
          return deliveries.map(() => 'written');
        },
        markReplayed: async (letters) => {
          story.push(`mark ${letters.length}`);
          await new Promise(setImmediate);
          story.push('marked');
        },
      },
    }),
  );
  const batch = (size: number): readonly string[] => [`write ${size}`, 'written', `mark ${size}`, 'marked'];
  expect(story).toEqual([batchSize, batchSize, 200].flatMap(batch));
});

it('marks nothing of a batch that could not be written, nor what a broker refuses for its size', async () => {
  const marked: number[] = [];
  const mark = async (letters: readonly unknown[]): Promise<void> => void marked.push(letters.length);
  const schedule = () => Promise.reject(new Error('refused'));
  await expect(replay(scan, options({ writer: { publishRetries: schedule, markReplayed: mark } }))).rejects.toThrow(
    'refused',
  );
  expect(marked).toEqual([]);

  const counts = new ReplayCounts(1_200);
  const first = async (deliveries: readonly unknown[]) =>
    deliveries.map((_, index) => (index === 0 ? ('too_large' as const) : ('written' as const)));
  await replay(scan, options({ writer: { publishRetries: first, markReplayed: mark }, counts }));
  expect([marked, counts.replayed, counts.notReplayed.total]).toEqual([[499, 499, 199], 1_197, 3]);
});

it('ends between two batches when it is called off', async () => {
  const stop = new AbortController();
  const counts = new ReplayCounts(1_200);
  const marked: number[] = [];
  const schedule = async (deliveries: readonly unknown[]) => {
    stop.abort();
    return deliveries.map(() => 'written' as const);
  };
  const mark = async (letters: readonly unknown[]): Promise<void> => void marked.push(letters.length);
  await expect(
    replay(scan, options({ writer: { publishRetries: schedule, markReplayed: mark }, counts, signal: stop.signal })),
  ).rejects.toThrow('aborted');
  expect([marked, counts.replayed]).toEqual([[batchSize], batchSize]);
});
