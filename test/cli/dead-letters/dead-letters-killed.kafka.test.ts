import { describe, expect, it, type TestOptions } from 'vitest';
import { batchSize } from '../../../src/cli/dead-letters/replay.ts';
import type { OutgoingRecord } from '../../../src/kafka/producer/batch.ts';
import { replayHeaders } from '../../../src/kafka/records/replay-headers.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import { eventually } from '../../support/time/eventually.ts';
import { produce, readTopic } from '../../support/kafka/records.ts';
import { casesOf, longProperty } from '../../support/long-property.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { writeDeadLetters, deadDelivery, theDelivery } from './dead-letters.ts';
import { run, printedCount } from '../program.ts';

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

describe('a replay of very many dead letters', { timeout: 600_000 }, () => {
  for (const { signal, count, options, ...stop } of stops) {
    it(`that gets ${signal} in the middle is completed by the next one`, options, async () => {
      await using platform = await startPlatform({ delays: ['10s'], partitions: 2 });
      await writeManyDeadLetters(platform, count);
      await using first = new ServiceProcess(platform.environment, ['dead-letters', 'replay']);
      await eventually('some are replayed', async () => (await inTier(platform)) >= count / 5, { withinMs: 300_000 });
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
      const written = await readTopic(platform.kafka, tier(platform), 60_000);
      expect(new Set(written.map(({ headers }) => headers['delivery-id'])).size).toBe(count);
      expect(written).toHaveLength(count);
    });
  }
});

it('marks a dead letter that a killed replay wrote to the first tier without a marker, and does not send it again', async () => {
  await using platform = await startPlatform({ delays: ['10s'] });
  const { kafka, topics, environment } = platform;
  await writeDeadLetters(
    kafka,
    topics.deadLetters,
    [0, 1, 2].map((index) => deadDelivery(theDelivery(topics.completed, index))),
  );
  expect(printedCount(await run(environment, 'dead-letters', 'replay', '--limit', '2'), 'replayed')).toBe(2);
  const [retry] = await readTopic(kafka, tier(platform));
  const [notReplayed] = await platform.deadLetters();

  // Simulates a delivery that was written without its marker.
  const name = { 'dead-letter-partition': '0', 'dead-letter-offset': String(notReplayed?.offset) };
  await writeDeadLetters(kafka, tier(platform), [asRetry({ ...retry?.headers, ...notReplayed?.headers, ...name })]);
  const again = await run(environment, 'dead-letters', 'replay');
  expect(printedCount(again, 'already in the first tier, marked now')).toBe(1);
  expect(printedCount(again, 'replayed')).toBe(0);
  expect(await readTopic(kafka, tier(platform))).toHaveLength(3);
  expect(printedCount(await run(environment, 'dead-letters', 'replay'), 'replayed before')).toBe(3);
});

it('sends nothing again after a kill, although a replay with another filter has ended an hour later', async () => {
  await using platform = await startPlatform({ delays: ['10s'] });
  const { kafka, topics, environment } = platform;
  const hourMs = 3_600_000;
  const killedAt = Date.now() - hourMs;
  const deliveries = ['one', 'one', 'other'].map((webhookId, index) =>
    theDelivery(topics.completed, index, { webhookId }),
  );
  const places = await produce(
    kafka,
    topics.deadLetters,
    deliveries.map((delivery) => ({ ...recordOf(deadDelivery(delivery)), timestamp: killedAt - hourMs })),
  );
  // The killed replay has written the first delivery of `one`, and no marker.
  const [first] = deliveries;
  const [place] = places;
  if (first === undefined || place === undefined) throw new Error('nothing was written');
  const headers = headersOf(replayHeaders(first, killedAt, place));
  await produce(kafka, tier(platform), [{ key: first.key, value: first.body, headers, timestamp: killedAt }]);

  const ofOther = await run(environment, 'dead-letters', 'replay', '--configuration', 'other');
  expect(printedCount(ofOther, 'replayed')).toBe(1);
  const ofOne = await run(environment, 'dead-letters', 'replay', '--configuration', 'one');
  expect(printedCount(ofOne, 'already in the first tier, marked now')).toBe(1);
  expect(printedCount(ofOne, 'replayed')).toBe(1);
  const written = await readTopic(kafka, tier(platform));
  expect(written).toHaveLength(3);
  expect(new Set(written.map(({ headers: { 'delivery-id': id } }) => id))).toEqual(
    new Set(deliveries.map(({ deliveryId }) => deliveryId)),
  );
});

function recordOf({ key, value, headers }: OutgoingRecord): Parameters<typeof produce>[2][number] {
  return { key, value, headers: headersOf(headers) };
}

function headersOf(headers: OutgoingRecord['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.map(([name, content]) => [name, String(content)]));
}

function asRetry(headers: Readonly<Record<string, string>>): Parameters<typeof writeDeadLetters>[2][number] {
  const pairs = Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)] as const);
  return { key: null, value: Buffer.from('{}'), headers: pairs };
}
