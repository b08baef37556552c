import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { json } from '../../support/builders.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { certificates, webhookAt, startPlatform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';

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

  it('creates missing topics only on request', async () => {
    await using platform = await startPlatform();
    const created = uniqueName('created');
    const environment = { ...platform.environment, DEAD_LETTER_TOPIC: created };
    await using looking = new ServiceProcess(environment, ['topics']);
    expect(await looking.exited()).toMatchObject({ code: 1 });
    expect(looking.output.find((line) => line.startsWith(created))).toContain('missing');
    await using creating = new ServiceProcess(environment, ['topics', '--create']);
    await creating.exited();
    await using admin = await connectAdmin(platform.kafka);
    expect(await admin.listTopics()).toContain(created);
  });

  it('requires a start position if there are records but no commit', async () => {
    await using platform = await startPlatform({ environment: { CERTIFICATE_START: '' } });
    await platform.complete(...certificates(1));
    await using service = new ServiceProcess(platform.environment);
    const [line] = await service.logged('service.failed');
    expect(String(line?.['failure'])).toContain('CERTIFICATE_START');
    expect(String(line?.['failure'])).toContain(platform.topics.completed);
    expect(await service.exited()).toEqual({ code: 2, signal: null });
  });

  it('starts at the end of the topics if configured', async () => {
    await using platform = await startPlatform({ environment: { CERTIFICATE_START: 'latest' } });
    await platform.configure(webhookAt(platform, '/a'));
    await platform.complete(...certificates(3));
    await using service = new ServiceProcess(platform.environment);
    await service.ready();
    await platform.complete(...certificates(1, { _userId: 'the one' }));
    const [request] = await platform.endpoint.received(1);
    expect(request?.body).toEqual(json(certificates(1, { _userId: 'the one' })[0]));
    service.signal('SIGTERM');
    await service.exited();
    expect(platform.endpoint.requests).toHaveLength(1);
  });

  it('refuses a configurations topic that is not compacted', async () => {
    await using platform = await startPlatform();
    const topic = uniqueName('not-compacted');
    await createTopics(platform.kafka, [{ topic }]);
    await using service = new ServiceProcess({ ...platform.environment, WEBHOOK_CONFIGURATIONS: `kafka:${topic}` });
    const [line] = await service.logged('service.failed');
    expect(String(line?.['failure'])).toContain('cleanup.policy=compact');
    expect(await service.exited()).toEqual({ code: 2, signal: null });
  });

  it('lists all invalid settings and exits', async () => {
    await using service = new ServiceProcess({
      KAFKA_BROKERS: 'nowhere',
      DELIVERY_TIMEOUT: 'soon',
      DELIVERY_CA_FILE: '/does/not/exist.pem',
    });
    expect(await service.exited()).toEqual({ code: 2, signal: null });
    const errors = service.errors.join('\n');
    for (const name of ['KAFKA_BROKERS', 'DELIVERY_TIMEOUT', 'DELIVERY_CA_FILE']) expect(errors).toContain(name);
  });

  it('names a configuration file that cannot be read, and exits', async () => {
    await using platform = await startPlatform();
    await using files = await writeTemporaryFiles({});
    const path = files.path('webhooks.json');
    await using without = new ServiceProcess({ ...platform.environment, WEBHOOK_CONFIGURATIONS: `file:${path}` });
    const [missing] = await without.logged('service.failed');
    expect(String(missing?.['failure'])).toContain(path);
    expect(await without.exited()).toMatchObject({ code: 2 });
    await writeFile(path, '[{');
    await using broken = new ServiceProcess({ ...platform.environment, WEBHOOK_CONFIGURATIONS: `file:${path}` });
    const [unreadable] = await broken.logged('service.failed');
    expect(String(unreadable?.['failure'])).toContain(path);
    expect(await broken.exited()).toMatchObject({ code: 2 });
  });
});

async function probe(port: number, path: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return { status: response.status, body: await response.json() };
}
