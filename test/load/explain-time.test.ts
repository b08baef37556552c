import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { wantedCertificate } from '../../src/cli/explain/certificate-records.ts';
import { explain } from '../../src/cli/explain/explain.ts';
import { readTopics } from '../../src/cli/read-topics.ts';
import { retryHeaders } from '../../src/kafka/records/envelope.ts';
import { theDelivery } from '../cli/dead-letters/dead-letters.ts';
import { withTools } from '../cli/with-tools.ts';
import { aCertificateDocument, json } from '../support/builders.ts';
import { produce } from '../support/kafka/records.ts';
import { startPlatform, type Platform } from '../support/service/platform.ts';

/** Certificates. There are a quarter as many retries, and half as many results. */
const count = 60_000;
const batch = 5_000;
const partitions = 4;
/** The processor time of a search, in times of that of a bare read of the same topics. */
const most = 1.5;

it(`explain takes at most ${most} times the processor time of reading ${1.75 * count} records`, async () => {
  // Commands run without the optimizing compiler.
  setFlagsFromString('--no-opt');
  await using platform = await startPlatform({ partitions, results: true, delays: ['10s', '1m'] });
  for (let at = 0; at < count; at += batch) await write(platform, at);
  await withTools(platform.environment, async (tools, signal) => {
    const { completed, expired, tiers, results, deadLetters } = platform.topics;
    const scans = await Promise.all([completed, expired, ...tiers, results, deadLetters].map((one) => tools.scan(one)));
    const read = () =>
      readTopics(
        'reading',
        scans.map((scan) => ({ scan, take: () => undefined })),
        tools.screen,
      );
    const wanted = wantedCertificate('certificate-77', undefined);
    const search = async () => {
      const { answers } = await explain(tools, { wanted, sinceMs: undefined, signal });
      expect(answers).toHaveLength(1);
    };
    // The first run of each compiles it, and fills the caches of the broker.
    const ratios: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const [bare, searched] = [await timesOf(read), await timesOf(search)];
      ratios.push(searched.processorMs / bare.processorMs);
      process.stderr.write(`a bare read: ${JSON.stringify(bare)}, explain: ${JSON.stringify(searched)}\n`);
    }
    expect(Math.min(...ratios)).toBeLessThanOrEqual(most);
    return true;
  });
});

/** Returns how long it takes. Processor time is that of this process alone, whatever else the machine does. */
async function timesOf(run: () => Promise<void>): Promise<{ readonly ms: number; readonly processorMs: number }> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(before);
  return { ms: Math.round(performance.now() - startedAt), processorMs: Math.round((user + system) / 1000) };
}

/** Writes the records of certificates from this one on: each fourth failed once, each second has a result. */
async function write({ kafka, topics }: Platform, from: number): Promise<void> {
  const indexes = Array.from({ length: batch }, (_, index) => from + index);
  const certificates = indexes.map((index) => ({
    partition: index % partitions,
    value: json(aCertificateDocument({ _id: `certificate-${index}` })),
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
