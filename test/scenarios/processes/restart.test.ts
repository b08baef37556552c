import { describe, expect, it } from 'vitest';
import { aConfiguration, aCertificateDocument, json, type Document } from '../../support/builders.ts';
import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import { committedOffsets } from '../../support/kafka/commits.ts';
import { produce } from '../../support/kafka/records.ts';
import { casesOf, longProperty } from '../../support/long-property.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess, type Exit } from '../../support/service/service-process.ts';

const owners = 50;

const many = casesOf(20_000);

describe(`a service that is killed in the middle of ${many} deliveries`, () => {
  it('has delivered all of them after a restart', { ...longProperty(), timeout: 180_000 }, async () => {
    await using platform = await startPlatform({ partitions: 6 });
    const { endpoint, environment } = platform;
    await platform.configure(...Array.from({ length: owners }, (_, owner) => hookOf(platform, owner)));
    const wanted = certificatesOf(many);
    await completeByOwner(platform, wanted);

    await using killed = new ServiceProcess({ ...environment, LOG_LEVEL: 'info' });
    await endpoint.received(Math.round(many * 0.35));
    killed.signal('SIGKILL');
    await killed.exited();
    const before = distinct(endpoint.requests);
    await using restarted = new ServiceProcess({ ...environment, LOG_LEVEL: 'info' });
    await restarted.ready();
    await untilDistinct(platform, many);
    const { code } = await terminate(restarted);

    expect(before.size).toBeLessThan(many);
    expect(distinct(endpoint.requests)).toEqual(new Set(wanted.map(({ _id }) => _id)));
    expect(code).toBe(0);
    expect(await committed(platform)).toBe(many);
    expect(await platform.deadLetters()).toEqual([]);
  });
});

describe('a service that gets a signal', () => {
  it(
    'finishes and commits the deliveries in flight, and repeats none after a restart',
    { timeout: 120_000 },
    async () => {
      await using platform = await startPlatform({ partitions: 6 });
      const { endpoint, environment } = platform;
      await platform.configure(...Array.from({ length: owners }, (_, owner) => hookOf(platform, owner)));
      await completeByOwner(platform, certificatesOf(5000));
      await using first = new ServiceProcess(environment);
      await endpoint.received(1000);
      expect(await terminate(first)).toEqual({ code: 0, signal: null });
      const received = endpoint.requests.length;

      await using second = new ServiceProcess(environment);
      await untilDistinct(platform, 5000);
      expect(await terminate(second)).toEqual({ code: 0, signal: null });
      expect(received).toBeLessThan(5000);
      expect(endpoint.requests).toHaveLength(5000);
    },
  );

  it('exits at once on a second signal', { timeout: 60_000 }, async () => {
    await using platform = await startPlatform();
    await using service = new ServiceProcess(platform.environment);
    await service.ready();
    service.signal('SIGTERM');
    service.signal('SIGINT');
    expect(await service.exited()).toEqual({ code: 1, signal: null });
  });
});

function hookOf({ endpoint }: Platform, owner: number): Document {
  return aConfiguration({ _id: `hook-${owner}`, _ownerId: `owner-${owner}`, url: endpoint.url(`/${owner}`) });
}

function certificatesOf(count: number): readonly Document[] {
  return Array.from({ length: count }, (_, index) =>
    aCertificateDocument({ _id: `certificate-${index}`, _ownerId: `owner-${index % owners}` }),
  );
}

/** Writes the certificates. The owner decides the partition, as with a keyed producer. */
async function completeByOwner({ kafka, topics }: Platform, documents: readonly Document[]): Promise<void> {
  for (let start = 0; start < documents.length; start += 2000) {
    const records = documents.slice(start, start + 2000).map((document, index) => ({
      key: String(document['_ownerId']),
      value: json(document),
      partition: ((start + index) % owners) % 6,
    }));
    await produce(kafka, topics.completed, records);
  }
}

async function untilDistinct({ endpoint }: Platform, count: number): Promise<void> {
  let wanted = count;
  // Repeated deliveries do not count, so wait for more.
  for (let seen = 0; seen < count;) {
    await endpoint.received(wanted);
    seen = distinct(endpoint.requests).size;
    wanted = endpoint.requests.length + (count - seen);
  }
}

function distinct(requests: readonly ReceivedRequest[]): ReadonlySet<unknown> {
  return new Set(requests.map(({ body }) => (JSON.parse(body.toString()) as Document)['_id']));
}

async function terminate(service: ServiceProcess): Promise<Exit> {
  service.signal('SIGTERM');
  return service.exited();
}

async function committed({ kafka, environment, topics }: Platform): Promise<number> {
  const commits = await committedOffsets(kafka, {
    group: String(environment['KAFKA_GROUP_ID']),
    topic: topics.completed,
  });
  return commits.reduce((sum, { offset }) => sum + Math.max(0, offset), 0);
}
