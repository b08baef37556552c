import { expect, it } from 'vitest';
import { readTopic } from '../../support/kafka/records.ts';
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

function asRetry(headers: Readonly<Record<string, string>>): Parameters<typeof writeDeadLetters>[2][number] {
  const pairs = Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)] as const);
  return { key: null, value: Buffer.from('{}'), headers: pairs };
}
