import { describe, expect, it } from 'vitest';
import type { Document } from '../../support/builders.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import type { RecordRead } from '../../support/kafka/records.ts';
import { createTopics } from '../../support/kafka/topics.ts';
import { resultFormats } from '../../support/registry/published-results.ts';
import { attemptsByOutcome } from '../../support/service/attempts-by-outcome.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';
import { eventually } from '../../support/time/eventually.ts';

describe('the results topic', () => {
  const running = startOnce({
    delays: ['200ms', '300ms'],
    partitions: 3,
    results: true,
    environment: { CIRCUIT_FAILURES: '2', CIRCUIT_COOLDOWN: '100ms', RESULTS_INCLUDE: 'deliveries,records' },
  });

  it('tells of each delivery what its log lines tell', async () => {
    const { platform, service } = running;
    const subscribers = [
      aSubscriber(platform, { answers: [200] }),
      aSubscriber(platform, { answers: [500, 503, 200] }),
      aSubscriber(platform, { answers: [404] }),
    ];
    const paused = aSubscriber(platform);
    for (const one of subscribers) await platform.configure(one.configuration());
    await platform.configure(paused.configuration({ paused: true }));
    for (const one of [...subscribers, paused]) await platform.complete(...one.certificates(3));
    for (const one of subscribers.slice(0, 2))
      await service.logged('delivery.attempted', 3, { ownerId: one.ownerId, outcome: 'delivered' });
    await service.logged('delivery.dead_lettered', 3, { ownerId: subscribers[2]?.ownerId });
    await service.logged('delivery.deferred', 3, { ownerId: paused.ownerId, outcome: 'paused' });
    await platform.remove(paused.webhookId);
    await service.logged('delivery.unsubscribed', 3, { ownerId: paused.ownerId });
    const lines = (): readonly Document[] => service.log.filter(({ event }) => String(event).startsWith('delivery.'));
    await eventually('every line has a record', async () => {
      return deliveriesIn(await platform.results()).length >= lines().length;
    });
    const results = deliveriesIn(await platform.results());
    expect(sorted(results.map(publicFields))).toEqual(sorted(lines().map(publicFields)));
    expect(new Set(results.map(({ type }) => type))).toEqual(
      new Set(['delivery.attempted', 'delivery.deferred', 'delivery.dead_lettered', 'delivery.unsubscribed']),
    );
    const counted = attemptsByOutcome((await service.get('/metrics')).body);
    for (const outcome of ['delivered', 'http_error']) {
      const own = results.filter((result) => result['type'] === 'delivery.attempted' && result['outcome'] === outcome);
      expect(counted.get(outcome)).toBe(own.length);
    }
  });

  it('tells of each change of a circuit', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500, 500, 500, 200] });
    const { webhookId: configurationId, ownerId } = subscriber;
    await platform.configure(subscriber.configuration());
    const since = Date.now();
    await platform.complete(...subscriber.certificates(6));
    await service.logged('circuit.closed', 1, { configurationId });
    const changesSoFar = async (): Promise<readonly Document[]> =>
      resultsOf(subscriber, await platform.results()).filter(({ type }) => type === 'endpoint.changed');
    await eventually(
      'the circuit is closed in the topic',
      async () => (await changesSoFar()).at(-1)?.['to'] === 'closed',
    );
    const changes = await changesSoFar();
    expect(changes[0]).toMatchObject({ configurationId, ownerId, from: 'closed', to: 'open', failures: 2 });
    expect(Date.parse(String(changes[0]?.['since']))).toBeGreaterThanOrEqual(since);
    expect(changes.at(-1)).not.toHaveProperty('since');
    expect(changes.slice(1).map(({ from }) => from)).toEqual(changes.slice(0, -1).map(({ to }) => to));
  });

  it('tells of a certificate that is about to expire, as the log, the status page and /endpoints do', async () => {
    const { platform, service } = running;
    const notAfter = new Date(Math.floor(Date.now() / 1000) * 1000 + 5 * 24 * 3_600_000);
    await using endpoint = await startEndpoint({ identity: platform.authority.issue({ notAfter }) });
    const subscriber = aSubscriber(platform, { url: endpoint.url('/expiring') });
    const { webhookId: configurationId, ownerId } = subscriber;
    await platform.configure(subscriber.configuration());
    await platform.complete(...subscriber.certificates(3));
    const told = { configurationId, ownerId, validUntil: notAfter.toISOString() };
    await service.logged('endpoint.certificate_expiring', 1, told);
    const expiring = async (): Promise<readonly Document[]> =>
      resultsOf(subscriber, await platform.results()).filter(({ type }) => type === 'endpoint.certificate_expiring');
    await eventually('the topic tells of it', async () => (await expiring()).length > 0);
    expect(await expiring()).toMatchObject([told]);
    const listed = JSON.parse((await service.get('/endpoints')).body) as readonly Document[];
    expect(listed.filter((one) => one['configurationId'] === configurationId)).toMatchObject([
      { certificateValidUntil: told.validUntil, health: 'healthy' },
    ]);
    expect((await service.get('/')).body).toContain(`certificate until ${told.validUntil.slice(0, 10)}`);
  });

  it('tells of records that led to no delivery, and why, before they are settled', async () => {
    const { platform, service } = running;
    const { completed } = platform.topics;
    const [unknown, other] = [aSubscriber(platform), aSubscriber(platform)];
    await platform.configure(other.configuration({ events: ['certificate_expired'] }));
    const values = [unknown.certificate(), other.certificate(), null, Buffer.from('no certificate')];
    const places = await platform.complete(...values);
    expect(await service.settled(completed, places)).toEqual(['unclaimed', 'unclaimed', 'ignored', 'dead_lettered']);
    const told = valuesOf(await platform.results()).filter(({ type }) => String(type).startsWith('record.'));
    const idsOf = ({ ownerId, ...one }: Subscriber): Document => ({ ownerId, certificateId: one.certificate()['_id'] });
    const placeOf = (index: number): Document => ({
      at: expect.any(String) as string,
      topic: completed,
      ...places[index],
    });
    const expected = [
      { type: 'record.unclaimed', ...idsOf(unknown), ...placeOf(0), reason: 'no_webhook' },
      { type: 'record.unclaimed', ...idsOf(other), ...placeOf(1), reason: 'other_event' },
      { type: 'record.ignored', ...placeOf(2), reason: 'null_value' },
      { type: 'record.rejected', ...placeOf(3), reason: 'undecodable' },
    ];
    expect(told).toEqual(expect.arrayContaining(expected));
    expect(told).toHaveLength(expected.length);
  });

  it('has records that match the published schemas, keyed by webhook, without secrets', async () => {
    const { platform } = running;
    const records = await platform.results();
    expect(new Set(valuesOf(records).map(({ type }) => type)).size).toBe(9);
    for (const { key, value, headerList } of records) {
      const result = JSON.parse(String(value)) as Document;
      for (const convert of Object.values(resultFormats)) expect(convert(result)).toEqual(result);
      const position = [result['topic'], result['partition'], result['offset']].join('/');
      const subject = result['configurationId'] ?? result['ownerId'] ?? position;
      expect([String(key), headerList]).toEqual([subject, []]);
      expect(String(value)).not.toMatch(/private|https|Bearer|ruleData/);
    }
    const partitions = Map.groupBy(records, ({ key }) => String(key)).values();
    for (const own of partitions) expect(new Set(own.map(({ partition }) => partition)).size).toBe(1);
  });
});

describe('a results topic that is gone', () => {
  it('stops nothing, and is made good when it is back, by another instance and without a repeat', async () => {
    await using platform = await startPlatform({
      delays: ['200ms', '300ms'],
      results: true,
    });
    const works = aSubscriber(platform);
    const recovers = aSubscriber(platform, { answers: [500, 500, 200] });
    const { results, completed } = platform.topics;
    {
      await using service = await runService(platform.environment);
      for (const one of [works, recovers]) await platform.configure(one.configuration());
      await deleteTopic(platform, results);
      const places = await platform.complete(...works.certificates(30), ...recovers.certificates(1));
      const [line] = await service.logged('handoff.failed', 1, { kind: 'result' });
      expect(line).toMatchObject({ topic: results });
      await eventually('it is not ready', async () => (await service.get('/readyz')).status === 503);
      expect((await service.get('/readyz')).body).toContain(`writes to ${results}`);
      expect(await service.metric('handoff_failures_total{kind="result"}')).toBeGreaterThan(0);
      expect(new Set(await service.settled(completed, places))).toEqual(new Set(['delivered', 'retried']));
    }
    await createTopics(platform.kafka, [{ topic: results }]);
    await using _next = await runService(platform.environment);
    const attempts = async (): Promise<readonly string[]> =>
      deliveriesIn(await platform.results()).map(({ outcome, attempt }) => `${String(outcome)} ${String(attempt)}`);
    const works30 = Array<string>(30).fill('delivered 1');
    const all = sorted([...works30, 'http_error 1', 'http_error 2', 'delivered 3']);
    await eventually('all results are there', async () => (await attempts()).length >= all.length);
    expect(sorted(await attempts())).toEqual(all);
    expect([works.requests.length, recovers.requests.length]).toEqual([30, 3]);
  });
});

async function deleteTopic({ kafka }: Platform, topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.deleteTopics({ topics: [topic] });
  await eventually(`${topic} is gone`, async () => !(await admin.listTopics()).includes(topic));
}

function valuesOf(records: readonly RecordRead[]): readonly Document[] {
  return records.map(({ value }) => JSON.parse(String(value)) as Document);
}

function deliveriesIn(records: readonly RecordRead[]): readonly Document[] {
  return valuesOf(records).filter(({ type }) => String(type).startsWith('delivery.'));
}

function resultsOf({ webhookId }: Subscriber, records: readonly RecordRead[]): readonly Document[] {
  return valuesOf(records).filter(({ configurationId }) => configurationId === webhookId);
}

/** Returns the fields that a line and its record share, as text. */
function publicFields(fields: Document): string {
  const { type, event = type, outcome, status, durationMs, settlement, dueAt, reason } = fields;
  const { configurationId, ownerId, certificateId, deliveryId, attempt } = fields;
  const ids = { configurationId, ownerId, certificateId, deliveryId, attempt };
  return JSON.stringify({ event, ...ids, outcome, status, durationMs, settlement, dueAt, reason });
}

function sorted(texts: readonly string[]): readonly string[] {
  return texts.toSorted();
}
