import { expect, it } from 'vitest';
import type { OutgoingRecord } from '../../../src/kafka/producer/batch.ts';
import { replayHeaders } from '../../../src/kafka/records/replay-headers.ts';
import { produce, readTopic } from '../../support/kafka/records.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { writeDeadLetters, deadDelivery, theDelivery } from './dead-letters.ts';
import { run, printedCount } from '../program.ts';

const tier = ({ topics }: Platform): string => `${topics.tierPrefix}.10s`;

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
