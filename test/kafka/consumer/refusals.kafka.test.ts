import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow, deny, guardedCluster, guardedService, type Denial } from '../../support/kafka/acls.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { startLocalCluster } from '../../support/kafka/cluster/start-local-cluster.ts';
import { needs } from '../../support/programs/needs.ts';
import { certificates, startPlatform, webhookAt, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { eventually } from '../../support/time/eventually.ts';

/** Tries after which the service used to give up. */
const tries = 6;
let cluster: LocalCluster;

beforeAll(async () => {
  cluster = await startLocalCluster(guardedCluster);
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

interface Guarded {
  readonly platform: Platform;
  readonly group: string;
  readonly start: () => RunningService;
}

interface RunningService {
  readonly process: ServiceProcess;
  /** Returns what `/readyz` says is missing. Undefined before the service listens. */
  readonly missing: () => Promise<readonly string[] | undefined>;
}

/** Creates the topics of a service that the access control lists apply to. */
async function guard(stack: AsyncDisposableStack): Promise<Guarded> {
  const platform = stack.use(await startPlatform({ brokers: cluster.brokers }));
  await platform.configure(webhookAt(platform, '/a'));
  const port = await findFreePorts(1);
  const start = (): RunningService => {
    const settings = { ...platform.environment, ...guardedService(cluster), HTTP_PORT: String(port) };
    const process = stack.use(new ServiceProcess(settings));
    return { process, missing: () => missingAt(port) };
  };
  return { platform, group: platform.environment['KAFKA_GROUP_ID'] ?? '', start };
}

async function missingAt(port: number): Promise<readonly string[] | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
    return (await response.json()) as readonly string[];
  } catch {
    return undefined;
  }
}

async function untilMissing({ missing, process }: RunningService, text: string | undefined): Promise<void> {
  const isSaid = (found: readonly string[] | undefined): boolean =>
    text === undefined ? found?.length === 0 : found?.some((one) => one.includes(text)) === true;
  await eventually(`/readyz says ${text ?? 'nothing'}: ${process.output.length} lines`, async () =>
    isSaid(await missing()),
  );
}

async function joins(process: ServiceProcess): Promise<number> {
  return Promise.resolve(process.output.filter((line) => line.includes('"consumer.joined"')).length);
}

describe('a topic that may not be read', needs('java', 'maven'), () => {
  it('does not stop the other one, and is read as soon as it may be, without a rebalance', async () => {
    await using stack = new AsyncDisposableStack();
    const { platform, start } = await guard(stack);
    const service = start();
    await service.process.ready();
    const denial: Denial = { resource: 'topic', name: platform.topics.expired, operation: 'read' };
    await deny(platform.kafka, denial);
    const [line] = await service.process.logged('topic.denied');
    expect(line).toMatchObject({ topic: platform.topics.expired, remedy: expect.stringContaining('allow Read') });
    await platform.expire(...certificates(3));
    await platform.complete(...certificates(6));
    await platform.endpoint.received(6);
    await untilMissing(service, `reading ${platform.topics.expired}: `);
    expect(platform.endpoint.requests).toHaveLength(6);
    await allow(platform.kafka, denial);
    await platform.endpoint.received(9);
    await untilMissing(service, undefined);
    expect(await joins(service.process)).toBe(2);
    service.process.signal('SIGTERM');
    expect(await service.process.exited()).toEqual({ code: 0, signal: null });
    expect(platform.endpoint.requests).toHaveLength(9);
  });
});

describe('a group that refuses the service', needs('java', 'maven'), () => {
  it('because its ACL denies it is waited for, and named', async () => {
    await using stack = new AsyncDisposableStack();
    const { platform, group, start } = await guard(stack);
    const service = start();
    await service.process.ready();
    const denial: Denial = { resource: 'group', name: group, operation: 'read' };
    await deny(platform.kafka, denial);
    await untilMissing(service, `the group ${group}: `);
    expect((await service.missing())?.join()).toContain('allow Read on groups');
    // An own fault would have ended the process by then.
    await service.process.logged('consumer.crashed', tries);
    await platform.complete(...certificates(6));
    await allow(platform.kafka, denial);
    await platform.endpoint.received(6);
    await untilMissing(service, undefined);
  });
});
