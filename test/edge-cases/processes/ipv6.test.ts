import { beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/settings.ts';
import { aCertificateDocument, aConfiguration, json } from '../../support/builders.ts';
import { startConnectProxy } from '../../support/endpoints/connect-proxy.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { hasIpv6, startIpv6Relay } from '../../support/endpoints/ipv6-relay.ts';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { ipv6Listener } from '../../support/kafka/cluster/security.ts';
import { startLocalCluster } from '../../support/kafka/cluster/start-local-cluster.ts';
import { needs } from '../../support/programs/needs.ts';
import { framed } from '../../support/registry/framed.ts';
import { startRegistryServer } from '../../support/registry/registry-server.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';

describe.skipIf(!hasIpv6)('a service whose settings have only IPv6 addresses', needs('java', 'maven'), () => {
  let cluster: LocalCluster;
  beforeAll(async () => {
    cluster = await startLocalCluster({ listeners: [ipv6Listener] });
    return async () => cluster[Symbol.asyncDispose]();
  });

  /** Runs the service with the cluster at `[::1]`, and writes a certificate for a webhook at `[::1]`. */
  async function deliver({
    value,
    environment,
    portOf = (port) => port,
  }: {
    readonly value: Buffer;
    readonly environment: Environment;
    /** Returns the port of the webhook, for the port at which the endpoint listens on 127.0.0.1. */
    readonly portOf?: (port: number) => number | Promise<number>;
  }) {
    const ipv6 = { KAFKA_BROKERS: cluster.addressesOf('IPV6').join(), DELIVERY_ALLOWED_NETWORKS: '::1/128' };
    await using platform = await startPlatform({
      brokers: cluster.brokers,
      environment: { ...ipv6, HTTP_HOST: '[::1]', ...environment },
    });
    await using endpoint = await startEndpoint({ identity: platform.authority.issue({ names: ['::1'] }) });
    const port = await portOf(endpoint.port);
    await platform.configure(aConfiguration({ url: `https://[::1]:${port}/hook` }));
    await using service = await runService(platform.environment);
    const places = await platform.complete(value);
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    const readyz = await fetch(`http://[::1]:${new URL(service.url).port}/readyz`);
    expect(readyz.status).toBe(200);
    expect(endpoint.requests.map((request) => request.header('host'))).toEqual([`[::1]:${port}`]);
  }

  it('reads from brokers, asks the schema registry, delivers, and answers probes', async () => {
    await using registry = await startRegistryServer({
      answer: () => ({ body: { schemaType: 'JSON', schema: '{}' } }),
    });
    await using relays = new AsyncDisposableStack();
    const relay = async (port: number): Promise<number> => relays.use(await startIpv6Relay(port)).port;
    const SCHEMA_REGISTRY_URL = `http://[::1]:${await relay(Number(new URL(registry.url).port))}`;
    const value = framed(1, json(aCertificateDocument()));
    await deliver({ value, environment: { SCHEMA_REGISTRY_URL }, portOf: relay });
    expect(registry.paths).not.toEqual([]);
  });

  it('delivers through a proxy', async () => {
    await using proxy = await startConnectProxy();
    await using relay = await startIpv6Relay(proxy.port);
    const environment = { DELIVERY_PROXY_URL: `http://[::1]:${relay.port}` };
    await deliver({ value: json(aCertificateDocument()), environment });
    expect(proxy.targets).toEqual([expect.stringMatching(/^\[::1\]:\d+$/)]);
  });
});
