import { describe, expect, it, type TestOptions } from 'vitest';
import { batchSize } from '../../src/cli/dead-letters/replay.ts';
import { deadDelivery, theDelivery, writeDeadLetters } from '../cli/dead-letters/dead-letters.ts';
import { printedCount, run } from '../cli/program.ts';
import { connectAdmin } from '../support/kafka/client.ts';
import { readTopic } from '../support/kafka/records.ts';
import { casesOf, longProperty } from '../support/long-property.ts';
import { startPlatform, type Platform } from '../support/service/platform.ts';
import { ServiceProcess } from '../support/service/service-process.ts';
import { eventually } from '../support/time/eventually.ts';

/** A heap that is smaller than the dead letters. */
const littleMemory = { NODE_OPTIONS: '--max-old-space-size=96' };

const tier = ({ topics }: Platform): string => `${topics.tierPrefix}.10s`;

async function writeManyDeadLetters({ kafka, topics }: Platform, count: number): Promise<void> {
  for (const partition of [0, 1]) {
    const indexes = Array.from({ length: count / 2 }, (_, index) => 2 * index + partition);
    const letters = indexes.map((index) => deadDelivery(theDelivery(topics.completed, index)));
    await writeDeadLetters(kafka, topics.deadLetters, letters, partition);
  }
}

async function inTier(platform: Platform): Promise<number> {
  await using admin = await connectAdmin(platform.kafka);
  const offsets = await admin.fetchTopicOffsets(tier(platform));
  return offsets.reduce((sum, { high }) => sum + Number(high), 0);
}

interface Stop {
  readonly signal: 'SIGKILL' | 'SIGINT';
  readonly count: number;
  readonly code: number | null;
  /** Maximum number of deliveries that the run may leave in the first tier without a marker. */
  readonly unmarked: number;
  readonly options: TestOptions;
}

const stops: readonly Stop[] = [
  { signal: 'SIGKILL', count: casesOf(100_000), code: null, unmarked: batchSize, options: longProperty() },
  // With fewer, the run would end before the signal arrives.
  { signal: 'SIGINT', count: 10_000, code: 1, unmarked: 0, options: {} },
];

describe('a replay of very many dead letters', () => {
  for (const { signal, count, options, ...stop } of stops) {
    it(`that gets ${signal} in the middle is completed by the next one`, options, async () => {
      await using platform = await startPlatform({ delays: ['10s'], partitions: 2 });
      await writeManyDeadLetters(platform, count);
      await using first = new ServiceProcess(platform.environment, ['dead-letters', 'replay']);
      await eventually('some are replayed', async () => (await inTier(platform)) >= count / 5);
      first.signal(signal);
      expect(await first.exited()).toMatchObject({ code: stop.code });
      const before = await inTier(platform);
      expect(before).toBeLessThan(count);

      const second = await run({ ...platform.environment, ...littleMemory }, 'dead-letters', 'replay');
      expect(second).toMatchObject({ code: 0 });
      const found = printedCount(second, 'already in the first tier, marked now');
      expect(found).toBeLessThanOrEqual(stop.unmarked);
      expect(printedCount(second, 'replayed before') + found).toBe(before);
      expect(printedCount(second, 'replayed')).toBe(count - before);
      const written = await readTopic(platform.kafka, tier(platform));
      expect(new Set(written.map(({ headers }) => headers['delivery-id'])).size).toBe(count);
      expect(written).toHaveLength(count);
    });
  }
});
