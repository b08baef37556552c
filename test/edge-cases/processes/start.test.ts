import { describe, expect, it } from 'vitest';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { json } from '../../support/builders.ts';
import { produce, type Place } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { retryHeaders } from '../../support/service/retry-headers.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

describe('a service that starts', () => {
  it('keeps trying while no broker answers: it is alive, but not ready', async () => {
    await using platform = await startPlatform();
    const port = await findFreePorts(1);
    await using service = new ServiceProcess({
      ...platform.environment,
      KAFKA_BROKERS: '127.0.0.1:1',
      HTTP_PORT: String(port),
    });
    const [line] = await service.logged('kafka.unreachable');
    expect(line).toMatchObject({ level: 'warn', doing: 'asking for the topics' });
    expect(await probe(port, '/livez')).toEqual({ status: 200, body: [] });
    expect(await probe(port, '/readyz')).toMatchObject({ status: 503 });
    service.signal('SIGTERM');
    expect(await service.exited()).toEqual({ code: 0, signal: null });
  });

  it('waits for missing topics and logs their names', async () => {
    await using platform = await startPlatform();
    const missing = uniqueName('later');
    await using service = new ServiceProcess({
      ...platform.environment,
      CERTIFICATE_TOPICS: `${platform.topics.completed},${missing}`,
    });
    const [line] = await service.logged('topics.missing');
    expect(line).toMatchObject({ topics: [missing] });
    expect(String(line?.['remedy'])).toContain('topics --create');
    await createTopics(platform.kafka, [{ topic: missing }]);
    await service.ready();
  });

  it('is ready without the topic of the last tier, as after an upgrade, and the tier before repeats until it is there', async () => {
    const before = ['10s', '1m', '10m', '1h', '6h', '24h'];
    await using platform = await startPlatform({ delays: before, environment: { RETRY_DELAYS: undefined } });
    const { topics, kafka, environment } = platform;
    const last = `${topics.tierPrefix}.24h`;
    const subscriber = aSubscriber(platform, { answers: [503] });
    await platform.configure(subscriber.configuration());
    const [plannedAt, dueAt] = [new Date(Date.now() - 112_270_000).toISOString(), new Date().toISOString()];
    const headers = { ...retryHeaders(subscriber), attempt: '6', 'planned-at': plannedAt, 'due-at': dueAt };
    const asBefore = async (): Promise<readonly Place[]> =>
      produce(kafka, last, [{ value: json(subscriber.certificate()), headers }]);
    const seventhIn = async (delay: string): Promise<readonly number[]> => {
      const seventh = (await platform.tier(delay)).filter(({ headers: { attempt } }) => attempt === '7');
      return seventh.map((record) => (Date.parse(record.headers['due-at'] ?? '') - record.timestamp) / 3_600_000);
    };
    const places = await asBefore();
    {
      await using service = await runService(environment);
      const missing = [`${topics.tierPrefix}.36h`];
      expect(await service.logged('topics.missing')).toMatchObject([{ level: 'warn', topics: missing }]);
      expect(await service.settled(last, places)).toEqual(['retried']);
      expect(await service.get('/readyz')).toMatchObject({ status: 200 });
      expect(await service.metric('unsafe_tiers')).toBe(1);
    }
    expect(await seventhIn('24h')).toEqual([expect.closeTo(36, 2)]);
    await createTopics(kafka, [{ topic: `${topics.tierPrefix}.36h` }]);
    await using service = await runService(environment);
    expect(await service.settled(last, await asBefore())).toEqual(['retried']);
    expect(await seventhIn('36h')).toEqual([expect.closeTo(36, 2)]);
    expect(await service.metric('unsafe_tiers')).toBe(0);
    expect(await platform.deadLetters()).toEqual([]);
  });
});

async function probe(port: number, path: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return { status: response.status, body: await response.json() };
}
