import { describe, expect, it } from 'vitest';
import { aCertificateDocument, json, type Document } from '../../support/builders.ts';
import { held, status } from '../../support/endpoints/answers.ts';
import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import { produce } from '../../support/kafka/records.ts';
import { dropMembers } from '../../support/kafka/members.ts';
import { groupsOf, startPlatform, webhookAt, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess, type Exit } from '../../support/service/service-process.ts';

const [owners, partitions, many] = [10, 6, 600];

describe('a service that is killed in the middle of its deliveries', { tags: ['I1', 'I2'] }, () => {
  it('has delivered all of them after a restart', async () => {
    await using platform = await startPlatform({ partitions, environment: { LOG_LEVEL: 'info' } });
    const { endpoint, environment } = platform;
    await platform.configure(...hooksOf(platform));
    const wanted = certificatesOf(many);
    await completeByOwner(platform, wanted);

    await using killed = new ServiceProcess(environment);
    await endpoint.received(Math.round(many * 0.35));
    killed.signal('SIGKILL');
    await killed.exited();
    await dropMembers(platform.kafka, groupsOf(platform));
    const before = distinct(endpoint.requests);
    await using restarted = new ServiceProcess(environment);
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
  it('finishes and commits the deliveries in flight, and repeats none after a restart', async () => {
    await using platform = await startPlatform({ partitions, environment: { LOG_LEVEL: 'info' } });
    const { endpoint, environment } = platform;
    using inFlight = held(status(200));
    for (let owner = 0; owner < owners; owner += 1) endpoint.script(`/${owner}`, 200, inFlight.answer);
    await platform.configure(...hooksOf(platform));
    await completeByOwner(platform, certificatesOf(many));
    await using first = new ServiceProcess(environment);
    // Each owner has one delivery, and as many in flight as it may have.
    await endpoint.received(owners * 2);
    first.signal('SIGTERM');
    await first.logged('service.stopping');
    inFlight.release();
    expect(await first.exited()).toEqual({ code: 0, signal: null });
    const received = endpoint.requests.length;

    await using second = new ServiceProcess(environment);
    await untilDistinct(platform, many);
    expect(await terminate(second)).toEqual({ code: 0, signal: null });
    expect(received).toBeLessThan(many);
    expect(endpoint.requests).toHaveLength(many);
  });

  it('exits at once on a second signal', async () => {
    await using platform = await startPlatform();
    await using service = new ServiceProcess(platform.environment);
    await service.ready();
    service.signal('SIGTERM');
    service.signal('SIGINT');
    expect(await service.exited()).toEqual({ code: 1, signal: null });
  });
});

function hooksOf(platform: Platform): readonly Document[] {
  return Array.from({ length: owners }, (_, owner) => webhookAt(platform, `/${owner}`, { _ownerId: `owner-${owner}` }));
}

function certificatesOf(count: number): readonly Document[] {
  return Array.from({ length: count }, (_, index) =>
    aCertificateDocument({ _id: `certificate-${index}`, _ownerId: `owner-${index % owners}` }),
  );
}

/** Writes the certificates. The owner decides the partition, as with a keyed producer. */
async function completeByOwner({ kafka, topics }: Platform, documents: readonly Document[]): Promise<void> {
  const records = documents.map((document, index) => ({
    key: String(document['_ownerId']),
    value: json(document),
    partition: (index % owners) % partitions,
  }));
  await produce(kafka, topics.completed, records);
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

async function committed(platform: Platform): Promise<number> {
  return (await platform.commits()).reduce((sum, { offset }) => sum + offset, 0);
}
