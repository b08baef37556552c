import { expect, it } from 'vitest';
import { batchSize, replay, ReplayCounts, type ReplayOptions } from '../../../src/cli/dead-letters/replay.ts';
import { ReplayedOffsets } from '../../../src/kafka/records/replay-headers.ts';
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
  const unexpected = (): never => {
    throw new Error('unexpected call');
  };
  return {
    deadLetterScan: { replayed: new ReplayedOffsets(), selected: 1_200, isSelected: () => true },
    inFirstTier: new ReplayedOffsets(),
    again: false,
    writer: undefined,
    planner: { decode: unexpected, webhooks: unexpected, plan: unexpected },
    isCertificateTopic: () => true,
    isTier: () => false,
    counts: new ReplayCounts(1_200),
    screen: { clock: new ManualClock(), err: () => undefined, bar: undefined },
    signal: new AbortController().signal,
    ...overrides,
  };
}

it('writes a batch, then marks it, then starts the next', async () => {
  const calls: string[] = [];
  await replay(
    scan,
    options({
      writer: {
        publishRetries: async (deliveries) => {
          calls.push(`write ${deliveries.length}`);
          await new Promise(setImmediate);
          calls.push('written');
          return deliveries.map(() => 'written');
        },
        markReplayed: async (letters) => {
          calls.push(`mark ${letters.length}`);
          await new Promise(setImmediate);
          calls.push('marked');
        },
      },
    }),
  );
  const batch = (size: number): readonly string[] => [`write ${size}`, 'written', `mark ${size}`, 'marked'];
  expect(calls).toEqual([batchSize, batchSize, 200].flatMap(batch));
});

it('marks nothing of a batch that failed, and no dead letter that a broker refuses for its size', async () => {
  const marked: number[] = [];
  const markReplayed = async (letters: readonly unknown[]): Promise<void> => void marked.push(letters.length);
  const publishRetries = () => Promise.reject(new Error('refused'));
  await expect(replay(scan, options({ writer: { publishRetries, markReplayed } }))).rejects.toThrow('refused');
  expect(marked).toEqual([]);

  const counts = new ReplayCounts(1_200);
  const first = async (deliveries: readonly unknown[]) =>
    deliveries.map((_, index) => (index === 0 ? ('too_large' as const) : ('written' as const)));
  await replay(scan, options({ writer: { publishRetries: first, markReplayed }, counts }));
  expect([marked, counts.replayed, counts.notReplayed.total]).toEqual([[499, 499, 199], 1_197, 3]);
});

it('ends between two batches when the signal aborts', async () => {
  const stop = new AbortController();
  const counts = new ReplayCounts(1_200);
  const marked: number[] = [];
  const publishRetries = async (deliveries: readonly unknown[]) => {
    stop.abort();
    return deliveries.map(() => 'written' as const);
  };
  const markReplayed = async (letters: readonly unknown[]): Promise<void> => void marked.push(letters.length);
  await expect(
    replay(scan, options({ writer: { publishRetries, markReplayed }, counts, signal: stop.signal })),
  ).rejects.toThrow('aborted');
  expect([marked, counts.replayed]).toEqual([[batchSize], batchSize]);
});
