import { beforeAll, describe, expect, it } from 'vitest';
import { aCertificateDocument, aConfiguration, json } from '../../support/builders.ts';
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

  it('reads from brokers, asks the schema registry, delivers, and answers probes', async () => {
    await using registry = await startRegistryServer({
      answer: () => ({ body: { schemaType: 'JSON', schema: '{}' } }),
    });
    await using relays = new AsyncDisposableStack();
    const relay = async (port: number): Promise<number> => relays.use(await startIpv6Relay(port)).port;
    await using platform = await startPlatform({
      brokers: cluster.brokers,
      environment: {
        KAFKA_BROKERS: cluster.addressesOf('IPV6').join(),
        DELIVERY_ALLOWED_NETWORKS: '::1/128',
        HTTP_HOST: '[::1]',
        SCHEMA_REGISTRY_URL: `http://[::1]:${await relay(Number(new URL(registry.url).port))}`,
      },
    });
    await using endpoint = await startEndpoint({ identity: platform.authority.issue({ names: ['::1'] }) });
    const port = await relay(endpoint.port);
    await platform.configure(aConfiguration({ url: `https://[::1]:${port}/hook` }));
    await using service = await runService(platform.environment);
    const places = await platform.complete(framed(1, json(aCertificateDocument())));
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    const readyz = await fetch(`http://[::1]:${new URL(service.url).port}/readyz`);
    expect(readyz.status).toBe(200);
    expect(endpoint.requests.map((request) => request.header('host'))).toEqual([`[::1]:${port}`]);
    expect(registry.paths).not.toEqual([]);
  });
});
