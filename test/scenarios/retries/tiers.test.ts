import { describe, expect, it } from 'vitest';
import { retryAfter } from '../../support/endpoints/answers.ts';
import { json } from '../../support/builders.ts';
import { produce, type RecordRead } from '../../support/kafka/records.ts';
import { committedOffsets } from '../../support/kafka/commits.ts';
import { createTopics } from '../../support/kafka/topics.ts';
import { groupsOf, startPlatform } from '../../support/service/platform.ts';
import { retryHeaders } from '../../support/service/retry-headers.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { startOnce, type Running } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';
import { eventually } from '../../support/time/eventually.ts';

const delaysMs = [300, 600, 1200];
const anInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('a delivery that fails', { tags: ['I2', 'I8'] }, () => {
  const running = startOnce({
    delays: delaysMs.map((ms) => `${ms}ms`),
    environment: { CIRCUIT_FAILURES: '1000' },
  });

  it('carries exactly the headers needed for its next attempt', async () => {
    const { platform, service } = running;
    const { topics } = platform;
    const subscriber = aSubscriber(platform, { answers: [503, 500, 200] });
    await platform.configure(subscriber.configuration());
    const trace = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'vendor=opaque',
    };
    const value = json(subscriber.certificate());
    const timestamp = Date.UTC(2026, 2, 14, 9, 26, 54, 20);
    const [place] = await produce(platform.kafka, topics.completed, [
      { key: 'the key', value, timestamp, headers: { ...trace, 'x-other': 'stays behind' } },
    ]);
    const attempts = await service.logged('delivery.attempted', 3, { ownerId: subscriber.ownerId });
    const traced = { traceId: '0af7651916cd43dd8448eb211c80319c', parentId: 'b7ad6b7169203331' };
    expect(attempts).toMatchObject([traced, traced, traced]);
    for (const { headers } of subscriber.requests) expect(headers.map(([name]) => name).join()).not.toMatch(/trace/iv);

    const [first] = await inTier(running, '300ms', subscriber);
    const [second] = await inTier(running, '600ms', subscriber);
    const lasting = {
      'webhook-configuration-id': subscriber.webhookId,
      'owner-id': subscriber.ownerId,
      'certificate-id': String(subscriber.certificate()['_id']),
      'event-type': 'certificate_completed',
      'delivery-id': `${topics.completed}/0/${place?.offset}/${subscriber.webhookId}`,
      deferrals: '0',
      'planned-at': anInstant,
      'first-attempted-at': anInstant,
      'due-at': anInstant,
      'source-topic': topics.completed,
      'source-partition': '0',
      'source-offset': String(place?.offset),
      'source-timestamp': '2026-03-14T09:26:54.020Z',
      'failure-reason': 'http_error',
      ...trace,
    };
    expect(first?.headers).toEqual({
      ...lasting,
      attempt: '1',
      'failure-status': '503',
      'failure-message': 'answered 503',
    });
    expect(second?.headers).toEqual({
      ...lasting,
      attempt: '2',
      'failure-status': '500',
      'failure-message': 'answered 500',
      'planned-at': first?.headers['planned-at'],
      'first-attempted-at': first?.headers['first-attempted-at'],
    });
    for (const record of [first, second]) expect(record).toMatchObject({ key: Buffer.from('the key'), value });
  });

  it('is attempted once per tier, never before it is due', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500] });
    await platform.configure(subscriber.configuration());
    const lateness = async (): Promise<readonly (number | undefined)[]> =>
      Promise.all(delaysMs.map(async (ms) => service.metric(`retry_lateness_seconds_count{tier="${ms}ms"}`)));
    const before = await lateness();
    await platform.complete(...subscriber.certificates(20));
    await service.logged('delivery.dead_lettered', 20, { ownerId: subscriber.ownerId });

    const arrivals = Map.groupBy(subscriber.requests, ({ body }) => body.toString());
    expect([...arrivals.values()].map((requests) => requests.length)).toEqual(Array(20).fill(4));
    for (const [tier, delayMs] of delaysMs.entries()) {
      const records = await inTier(running, `${delayMs}ms`, subscriber);
      expect(records).toHaveLength(20);
      for (const { headers, value } of records) {
        const dueAt = Date.parse(headers['due-at'] ?? '');
        const [failed, retried] = arrivals.get(String(value))?.slice(tier) ?? [];
        expect(dueAt - (failed?.arrivedAt ?? Number.NaN)).toBeGreaterThanOrEqual(delayMs);
        expect(retried?.arrivedAt).toBeGreaterThanOrEqual(dueAt);
        expect(headers['attempt']).toBe(String(tier + 1));
      }
    }
    expect(await lateness()).toEqual(before.map((count) => (count ?? 0) + 20));
  });

  it('waits for the time in Retry-After, then uses the tier of its attempt again', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [retryAfter(500, '1'), 500, 200] });
    await platform.configure(subscriber.configuration());
    await platform.complete(subscriber.certificate());
    const lines = await service.logged('delivery.attempted', 3, { ownerId: subscriber.ownerId });
    expect(lines.map(({ attempt, tier }) => [attempt, tier])).toEqual([
      [1, '1200ms'],
      [2, '600ms'],
      [3, undefined],
    ]);
  });

  it('keeps its attempt count while its webhook is paused, and moves one tier further each time', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500, 200] });
    await platform.configure(subscriber.configuration({ paused: true }));
    await platform.complete(subscriber.certificate());
    await service.logged('delivery.deferred', 4, { ownerId: subscriber.ownerId });
    await platform.configure(subscriber.configuration());
    await service.logged('delivery.attempted', 2, { ownerId: subscriber.ownerId });

    const firstTier = await inTier(running, '300ms', subscriber);
    expect(firstTier.map(counts)).toEqual(['paused 0/1', 'http_error 1/0']);
    expect((await inTier(running, '600ms', subscriber)).map(counts)).toEqual(['paused 0/2']);
    const lastTier = await inTier(running, '1200ms', subscriber);
    expect(lastTier.slice(0, 2).map(counts)).toEqual(['paused 0/3', 'paused 0/4']);
    expect(firstTier[0]?.headers['first-attempted-at']).toBeUndefined();
    expect(subscriber.requests).toHaveLength(2);
  });

  it('is counted for each write to a tier, with nothing confidential in the log', async () => {
    const { platform, service } = running;
    for (const delayMs of delaysMs) {
      const written = await platform.tier(`${delayMs}ms`);
      const scheduled = await service.metric(`retries_scheduled_total{tier="${delayMs}ms"}`);
      expect([delayMs, scheduled]).toEqual([delayMs, written.length]);
    }
    expect(confidentialLines(service.log)).toEqual([]);
    expect(await service.unaccounted()).toBe(0);
  });
});

describe('a record in a tier that is due later than the delay of its tier', () => {
  it('moves on to the next tier, and then to the last one again, with the same due time', async () => {
    await using platform = await startPlatform({ delays: ['100ms', '200ms'] });
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const headers = {
      ...retryHeaders(subscriber),
      attempt: '2',
      deferrals: '1',
      'due-at': toIso(Date.now() + 3_600_000),
    };
    await produce(platform.kafka, `${platform.topics.tierPrefix}.100ms`, [
      { key: 'key', value: json(subscriber.certificate()), headers },
    ]);
    await using service = await runService(platform.environment);
    await service.logged('delivery.deferred', 3, { outcome: 'not_due' });
    expect(await service.metric('deliveries_deferred_total{reason="not_due"}')).toBeGreaterThanOrEqual(3);
    await service.stop();
    const deferrals = service.log.filter(({ event }) => event === 'delivery.deferred');
    const moved = await platform.tier('200ms');
    expect(new Set(deferrals.map(({ outcome }) => outcome))).toEqual(new Set(['not_due']));
    expect(moved).toHaveLength(deferrals.length);
    for (const record of moved) expect(record.headers).toMatchObject(headers);
    expect(subscriber.requests).toEqual([]);
  });
});

describe('a tier that is no longer configured', () => {
  it('is read to its end, and gets no new records', async () => {
    await using platform = await startPlatform({ delays: ['10m'] });
    const retired = `${platform.topics.tierPrefix}.100ms`;
    await createTopics(platform.kafka, [{ topic: retired }]);
    const working = aSubscriber(platform);
    const failing = aSubscriber(platform, { answers: [500] });
    await platform.configure(working.configuration(), failing.configuration());
    const places = await produce(
      platform.kafka,
      retired,
      [working, failing].map((subscriber) => ({
        value: json(subscriber.certificate()),
        headers: { ...retryHeaders(subscriber), 'x-of-a-later-version': 'ignored' },
      })),
    );
    await using service = await runService(platform.environment);
    expect(await service.settled(retired, places)).toEqual(['delivered', 'retried']);
    expect(await platform.tier('10m')).toMatchObject([{ headers: { attempt: '1', deferrals: '0' } }]);
    expect(await service.metric(`records_consumed_total{topic="${retired}"}`)).toBe(2);
    expect(await service.unaccounted()).toBe(0);
  });
});

describe('retries that the group has no commit for', { tags: ['I3'] }, () => {
  it('are counted, and get a commit at once', async () => {
    await using platform = await startPlatform({ delays: ['100ms', '24h'], partitions: 2 });
    const { topics, kafka } = platform;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const write = async (delay: string) =>
      produce(kafka, `${topics.tierPrefix}.${delay}`, [
        { partition: 0, value: json(subscriber.certificate()), headers: retryHeaders(subscriber) },
      ]);
    const places = await write('100ms');
    await write('24h');
    await using service = await runService(platform.environment);
    expect(await service.settled(`${topics.tierPrefix}.100ms`, places)).toEqual(['delivered']);
    await service.logged('commit.missing', 2);
    expect(await service.metric(`records_without_commit_total{topic="${topics.tierPrefix}.100ms"}`)).toBe(1);
    const [, group = ''] = groupsOf(platform);
    const untouched = { group, topic: `${topics.tierPrefix}.24h` };
    await eventually('the long tier has a commit', async () => (await committedOffsets(kafka, untouched)).length === 2);
    expect((await committedOffsets(kafka, untouched)).map(({ offset }) => offset)).toEqual([0, 0]);
  });
});

async function inTier({ platform }: Running, delay: string, subscriber: Subscriber): Promise<readonly RecordRead[]> {
  const records = await platform.tier(delay);
  return records.filter(({ headers }) => headers['owner-id'] === subscriber.ownerId);
}

/** Formats the reason of a record, with its attempts and deferrals. */
function counts({ headers }: RecordRead): string {
  return `${headers['failure-reason']} ${headers['attempt']}/${headers['deferrals']}`;
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
