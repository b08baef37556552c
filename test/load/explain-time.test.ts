import { expect, it } from 'vitest';
import { retryHeaders } from '../../src/kafka/records/envelope.ts';
import { theDelivery } from '../cli/dead-letters/dead-letters.ts';
import { aCertificateDocument, json } from '../support/builders.ts';
import { produce } from '../support/kafka/records.ts';
import { compiled } from '../support/processes/compiled.ts';
import { Program } from '../support/processes/program.ts';
import { startPlatform, type Platform } from '../support/service/platform.ts';
import type { Times } from './explain-process.ts';

/** All records: the certificates, a quarter as many retries, and half as many results. A million takes a quarter of an hour. */
const total = Number(process.env['EXPLAIN_RECORDS'] ?? 105_000);
const batch = 5_000;
/** Certificates, in whole batches. */
const count = batch * Math.ceil(total / 1.75 / batch);
const partitions = 4;
/** Pairs of a bare read and a search. The first of each compiles it, and fills the caches of the broker. */
const pairs = 3;
/** The processor time of a search, in times of that of a bare read of the same topics. */
const most = 1.5;
/** The flags of commands. */
const nodeFlags = ['--memory-saver-mode', '--semi-space-growth-factor=1', '--no-opt'];

it(
  `explain takes at most ${most} times the processor time of a bare read`,
  { timeout: 600_000 + 3 * total },
  async () => {
    await using platform = await startPlatform({ partitions, results: true, delays: ['10s', '1m'] });
    for (let at = 0; at < count; at += batch) await write(platform, at);
    await using reading = new Program({
      script: 'test/load/explain-process.ts',
      args: ['certificate-77', String(pairs)],
      environment: { PATH: process.env['PATH'], ...compiled, ...platform.environment },
      nodeFlags,
      onLine: (line) => process.stderr.write(`${line}\n`),
    });
    const { code } = await reading.exited();
    if (code !== 0) throw new Error(reading.errors.join('\n'));
    const times = reading.output.map((line) => JSON.parse(line) as { readonly bare: Times; readonly search: Times });
    expect(times.map(({ bare, search }) => [bare.found, search.found])).toEqual(times.map(() => [1.75 * count, 1]));
    expect(times).toHaveLength(pairs);
    const ratios = times.map(({ bare, search }) => search.processorMs / bare.processorMs);
    expect(Math.min(...ratios)).toBeLessThanOrEqual(most);
  },
);

const ruleData = { type: 'certification', name: 'Sicheres Arbeiten in großer Höhe', validityDurationDays: 730 };

/** Writes JSON as many producers do: in ASCII, with escapes for all other characters. */
function escaped(document: object): Buffer {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return Buffer.from(JSON.stringify(document).replaceAll(/[^\0-\x7f]/g, escape));
}

/** Writes the records of certificates from this one on: each fourth failed once, each second has a result. */
async function write({ kafka, topics }: Platform, from: number): Promise<void> {
  const indexes = Array.from({ length: batch }, (_, index) => from + index);
  const certificates = indexes.map((index) => ({
    partition: index % partitions,
    value: escaped(aCertificateDocument({ _id: `certificate-${index}`, ruleData })),
  }));
  await produce(kafka, topics.completed, certificates);
  const retries = indexes
    .filter((index) => index % 4 === 0)
    .map((index) => {
      const delivery = theDelivery(topics.completed, index);
      const headers = retryHeaders(delivery, 0).map(([name, text]) => [name, Buffer.from(text ?? '')] as const);
      return { partition: (index / 4) % partitions, value: delivery.body, headers };
    });
  await produce(kafka, topics.tiers[0] ?? '', retries);
  const results = indexes
    .filter((index) => index % 2 === 0)
    .map((index) => {
      const { deliveryId, webhookId, ownerId, certificateId } = theDelivery(topics.completed, index);
      const fields = { type: 'delivery.attempted', at: new Date(0), attempt: 1, outcome: 'delivered', status: 200 };
      const value = json({ ...fields, configurationId: webhookId, ownerId, certificateId, deliveryId, durationMs: 20 });
      return { partition: (index / 2) % partitions, value };
    });
  await produce(kafka, topics.results, results);
}
