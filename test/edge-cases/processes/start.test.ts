import { describe, expect, it } from 'vitest';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';

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
});

async function probe(port: number, path: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return { status: response.status, body: await response.json() };
}
