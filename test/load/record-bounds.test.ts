import { describe, expect, it } from 'vitest';
import { aCertificateDocument, json, type Document } from '../support/builders.ts';
import { emptyHeaders, encodeRawBatch, writeRawBatch } from '../support/kafka/raw-batch.ts';
import { startPlatform, webhookAt } from '../support/service/platform.ts';
import { startWatchedService } from './watched-service.ts';

const partitions = 12;
const MiB = 1024 * 1024;
const value = json(aCertificateDocument());
const everywhere = Array.from({ length: partitions }, (_, partition) => partition);

interface Hostile {
  readonly what: string;
  /** The same batch for each of these partitions. */
  readonly batch: () => Buffer;
  readonly into: readonly number[];
  readonly deadLetters: number;
  /** The bytes of the value that the brokers take, compressed. */
  readonly valueBytes?: number;
  /** A part of the message of each dead letter. */
  readonly limit?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Batches of a few kilobytes, or at most 8 MiB, that killed the service with each start or made it pause for seconds. */
const hostile: readonly Hostile[] = [
  {
    what: 'a certificate with 8,000,000 empty headers',
    batch: () => encodeRawBatch([{ value, headers: emptyHeaders(8_000_000) }], 'gzip'),
    into: [0],
    deadLetters: 1,
    limit: '1000 headers',
  },
  {
    what: 'sixteen certificates with 250,000 empty headers each',
    batch: () => encodeRawBatch([{ value, headers: emptyHeaders(250_000) }]),
    into: [...everywhere, ...everywhere.slice(0, 4)],
    deadLetters: 16,
    limit: '1000 headers',
  },
  {
    what: 'a certificate of 60 MiB of empty objects',
    batch: () => encodeRawBatch([{ value: withEmptyObjects(60 * MiB) }], 'gzip'),
    into: [0],
    deadLetters: 1,
    valueBytes: withEmptyObjects(60 * MiB).length,
    limit: '100000 JSON values',
    environment: { RECORD_MAX_BYTES: '64MiB' },
  },
  {
    what: '60 MiB of spaces in each of twelve partitions',
    batch: () => encodeRawBatch([{ value: Buffer.alloc(60 * MiB, ' ') }], 'gzip'),
    into: everywhere,
    deadLetters: 12,
    limit: '8MiB (RECORD_MAX_BYTES)',
  },
];

/** Returns a certificate of about this size. Its elements take twenty times as much memory as bytes. */
function withEmptyObjects(bytes: number): Buffer {
  const [start = '', end = ''] = JSON.stringify(aCertificateDocument({ x: ['x'] })).split('"x"]');
  return Buffer.concat([Buffer.from(start), Buffer.alloc(bytes, '{},'), Buffer.from(`{}]${end}`)]);
}

async function startWith(environment: Readonly<Record<string, string>> = {}) {
  const settings = { certificates: { 'max.message.bytes': 8 * MiB }, deadLetters: { 'max.message.bytes': 8 * MiB } };
  const platform = await startPlatform({ partitions, settings, environment });
  const [broker = ''] = String(platform.environment['KAFKA_BROKERS']).split(',');
  const write = (topic: string, partition: number, batch: Buffer) => writeRawBatch(broker, topic, partition, batch);
  return { platform, write };
}

describe('a service with the heap of the chart', () => {
  it.each(hostile)('reads $what, and the certificates behind', async ({ batch, into, ...expected }) => {
    const { platform, write } = await startWith(expected.environment);
    await using _ = platform;
    await platform.configure(webhookAt(platform, '/hook'));
    const bytes = batch();
    for (const partition of into) await write(platform.topics.completed, partition, bytes);
    const behind: Document[] = [];
    for (const partition of into) {
      behind.push(aCertificateDocument({ _id: `behind ${behind.length}` }));
      await write(platform.topics.completed, partition, encodeRawBatch([{ value: json(behind.at(-1)) }]));
    }
    await using service = await startWatchedService(platform.environment);
    await service.until('all behind are delivered', () => platform.endpoint.requests.length >= behind.length, 500_000);
    const letters = await platform.deadLetters();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(letters.map(({ headers }) => headers['failure-reason'])).toEqual(
      Array(expected.deadLetters).fill('too_large'),
    );
    for (const { headers } of letters) expect(headers['failure-message']).toContain(expected.limit);
    const keptBytes = letters[0]?.value?.length;
    expect(keptBytes).toBe(expected.valueBytes ?? keptBytes);
    expect(service.largestResidentMB).toBeLessThan(1024);
  });

  it('reads batches of 730,000 empty records in twelve partitions, some thousands at a time', async () => {
    const { platform, write } = await startWith();
    await using _ = platform;
    const batch = encodeRawBatch(
      Array.from({ length: 730_000 }, () => ({})),
      'gzip',
    );
    for (const partition of everywhere) await write(platform.topics.completed, partition, batch);
    await using service = await startWatchedService(platform.environment);
    await service.until('many are read', () => service.recordsConsumed >= 1_000_000, 500_000);
    expect(service.largestHeapMB).toBeLessThan(300);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('starts although a configuration has 8,000,000 headers, and applies it', async () => {
    const { platform, write } = await startWith();
    await using _ = platform;
    const configuration = webhookAt(platform, '/hook');
    const record = { key: Buffer.from(String(configuration['_id'])), value: json(configuration) };
    const bomb = encodeRawBatch([{ ...record, headers: emptyHeaders(8_000_000) }], 'gzip');
    await write(platform.topics.configurations, 0, bomb);
    await platform.complete(aCertificateDocument());
    await using service = await startWatchedService(platform.environment);
    await service.until('it is delivered', () => platform.endpoint.requests.length === 1);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});
