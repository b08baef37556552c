import { describe, expect, it } from 'vitest';
import { createEgressPolicy } from '../../src/http/egress/egress-policy.ts';
import { specialIpv4Blocks, specialIpv6Blocks } from '../../src/http/egress/special-addresses.ts';
import type { Values } from '../support/helm/helm.ts';
import type { Kinds } from '../support/kubernetes/kinds.ts';
import { allOf, onlyOf } from '../support/kubernetes/manifests.ts';
import { isInNetwork, allowsEgress } from '../support/kubernetes/network-rules.ts';
import { podsIn, selects } from '../support/kubernetes/pods.ts';
import { needs } from '../support/programs/needs.ts';
import { borderAddresses } from './border-addresses.ts';
import { deploy, settingsIn } from './deployed.ts';

const settings = { KAFKA_BROKERS: 'kafka:9092' };
const peers = { podSelector: { matchLabels: { app: 'x' } } };
const release = { 'app.kubernetes.io/name': 'certificate-webhooks', 'app.kubernetes.io/instance': 'hooks' };
/** The pods of the service, which the command `endpoints` asks. */
const instances = { podSelector: { matchLabels: { ...release, 'app.kubernetes.io/component': 'service' } } };
/** A NetworkPolicy that allows only subscribers. */
const enabled = { enabled: true, dns: { to: [peers] }, kafka: { to: [peers] } };

async function policyOf(more: Values = {}, networkPolicy: Values = enabled): Promise<Kinds['NetworkPolicy']> {
  const { manifests } = await deploy({ settings: { ...settings, ...more }, networkPolicy });
  return onlyOf(manifests, 'NetworkPolicy');
}

const tokens = {
  KAFKA_SASL_MECHANISM: 'oauthbearer',
  KAFKA_OAUTH_TOKEN_URL: 'https://idp.example.com/token',
  KAFKA_OAUTH_CLIENT_ID: 'webhooks',
  KAFKA_OAUTH_CLIENT_SECRET_FILE: '/secret',
};

describe('the network policy', needs('helm'), () => {
  it.each<
    [
      about: string,
      more: Values,
      ports: readonly (readonly [number, number])[],
      networks: readonly string[],
      denied?: readonly string[],
    ]
  >([
    ['the defaults', {}, [[443, 443]], []],
    [
      'other ports and networks',
      {
        DELIVERY_ALLOWED_PORTS: '8443, 9000-9100',
        DELIVERY_ALLOWED_NETWORKS: '10.20.0.0/16, fd00:1::/32,192.0.2.7/32',
      },
      [
        [8443, 8443],
        [9000, 9100],
      ],
      ['10.20.0.0/16', 'fd00:1::/32', '192.0.2.7/32'],
    ],
    [
      'denied networks, public and inside allowed ones',
      {
        DELIVERY_ALLOWED_NETWORKS: '10.0.0.0/8,fd00::/8,192.0.2.0/24',
        DELIVERY_DENIED_NETWORKS: '199.36.153.8/30,2600:2D00:1::/48,10.96.0.0/12,fd00:1::/32,192.0.0.0/16',
      },
      [[443, 443]],
      ['10.0.0.0/8', 'fd00::/8', '192.0.2.0/24'],
      ['199.36.153.8/30', '2600:2d00:1::/48', '10.96.0.0/12', 'fd00:1::/32', '192.0.0.0/16'],
    ],
    [
      'NAT64 that leads to public addresses and to an allowed network',
      { DELIVERY_ALLOWED_NETWORKS: '64:ff9b::/96,10.20.0.0/16', DELIVERY_DENIED_NETWORKS: '10.20.30.0/24,8.8.8.0/24' },
      [[443, 443]],
      ['64:ff9b::/96', '10.20.0.0/16'],
      ['10.20.30.0/24', '8.8.8.0/24'],
    ],
    [
      'a part of NAT64, and NAT64 with a local prefix',
      { DELIVERY_ALLOWED_NETWORKS: '64:ff9b::10.20.0.0/108,64:FF9B:1:fffe::/96,10.20.0.0/16' },
      [[443, 443]],
      ['64:ff9b::10.20.0.0/108', '64:ff9b:1:fffe::/96', '10.20.0.0/16'],
    ],
  ])(
    'allows exactly the addresses that the service itself allows: %s',
    async (_about, more, ports, networks, denied = []) => {
      const wall = await policyOf(more);
      const allowedPorts = ports.map(([first, last]) => ({ first, last }));
      const own = createEgressPolicy({ allowedPorts, allowedNetworks: networks, deniedNetworks: denied });
      const blocks = [...specialIpv4Blocks, ...specialIpv6Blocks].map(({ network }) => network);
      const written = networks.filter((network) => !network.includes(':10.'));
      const borders = [...blocks, ...written, ...denied, '2000::/3', '0.0.0.0/0'].flatMap(borderAddresses);
      const translated = borders
        .filter((address) => address.includes('.'))
        .flatMap((address) => ['64:ff9b::', '64:ff9b:1:fffe::'].map((prefix) => `${prefix}${address}`));
      const addresses = [...borders, ...translated];
      const seen = [80, 442, 443, 444, 8443, 8999, 9000, 9100, 9101].flatMap((port) =>
        addresses.flatMap((address) => {
          const isOurs = own.refuseAddress(address) === undefined && own.refusePort(port) === undefined;
          return allowsEgress(wall, address, port) === isOurs ? [] : [`${address} ${port}`];
        }),
      );
      expect(seen).toEqual([]);
      expect(addresses.length).toBeGreaterThan(100);
    },
  );

  it('excepts only networks inside an allowed one, as Kubernetes requires', async () => {
    const blocks = (await policyOf()).spec?.egress?.flatMap(({ to = [] }) =>
      to.flatMap(({ ipBlock }) => ipBlock ?? []),
    );
    expect(blocks).toHaveLength(2);
    for (const { cidr, except = [] } of blocks ?? []) {
      expect(except.length).toBeGreaterThan(5);
      expect(except.filter((network) => !isInNetwork(cidr, network.split('/', 1).join()))).toEqual([]);
    }
  });

  it('writes networks in the spelling that Kubernetes wants', async () => {
    const odd = ['64:FF9B::10.20.0.0/108', 'FD00:0:0:01:0:0:0:0/64', '64:ff9b:1:fffe::/96', 'fd01:0:1:2:3:4:5:0/128'];
    const more = {
      DELIVERY_ALLOWED_NETWORKS: [...odd, '::/0', '10.20.0.0/16'],
      DELIVERY_DENIED_NETWORKS: 'fd01:0::0:8/125',
    };
    const { spec } = await policyOf(more);
    const blocks = spec?.egress?.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? [])) ?? [];
    const networks = blocks.flatMap(({ cidr, except = [] }) => [cidr].concat(except));
    // URLs have the spelling of RFC 5952.
    const shortest = (network: string): string => {
      const [address = '', bits] = network.split('/');
      return address.includes(':') ? `${new URL(`http://[${address}]`).hostname.slice(1, -1)}/${bits}` : network;
    };
    expect(networks).toEqual(networks.map(shortest));
    expect(networks).toEqual(
      expect.arrayContaining([...odd.slice(1).map(shortest), '64:ff9b::a14:0/112', 'fd01::8/125']),
    );
  });

  it('has no rule without a destination: nothing private is open by default', async () => {
    const more = { SCHEMA_REGISTRY_URL: 'https://registry.example.com' };
    const { spec } = await policyOf(more, { enabled: true, dns: { to: [] } });
    expect(spec?.egress?.map(({ to = [] }) => to.map((peer) => Object.keys(peer).join()))).toEqual([
      ['ipBlock', 'ipBlock'],
      ['podSelector'],
    ]);
  });

  it('allows the DNS pods of the cluster by default', async () => {
    const [first] = (await policyOf({}, { enabled: true })).spec?.egress ?? [];
    expect(first).toEqual({
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
          podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
        },
      ],
    });
  });

  it.each<[about: string, more: Values, networkPolicy: Values, ports: readonly number[]]>([
    ['the brokers', { KAFKA_BROKERS: 'a:9092,b:9093,c:9092' }, { kafka: { to: [peers] } }, [9092, 9093]],
    ['other ports of the brokers', {}, { kafka: { to: [peers], ports: [9094] } }, [9094]],
    [
      'the token endpoint',
      { ...tokens, KAFKA_OAUTH_TOKEN_URL: 'https://a:8443/token?p=1' },
      { tokenEndpoint: { to: [peers] } },
      [8443],
    ],
    [
      'the token endpoint at the usual port',
      { ...tokens, KAFKA_OAUTH_TOKEN_URL: 'https://a/token' },
      { tokenEndpoint: { to: [peers] } },
      [443],
    ],
    [
      'the schema registry',
      { SCHEMA_REGISTRY_URL: 'https://a, http://b:8081' },
      { schemaRegistry: { to: [peers] } },
      [443, 8081],
    ],
  ])('allows %s at the addresses that are chosen', async (_about, more, networkPolicy, ports) => {
    const { spec } = await policyOf(more, { enabled: true, ...networkPolicy });
    const chosen = spec?.egress?.filter(({ to = [] }) =>
      to.some(({ podSelector }) => podSelector?.matchLabels?.['app']),
    );
    expect(chosen).toEqual([{ to: [peers], ports: ports.map((port) => ({ port, protocol: 'TCP' })) }]);
  });

  it('allows ingress only to the port for metrics and probes', async () => {
    const { spec } = await policyOf({}, { ...enabled, ingress: { from: [peers] } });
    expect(spec?.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(spec?.ingress).toEqual([
      { ports: [{ port: 'http' }], from: [peers, { podSelector: { matchLabels: release } }] },
    ]);
  });

  it('lets all pods of the release ask the service at the address that the command endpoints takes', async () => {
    const { manifests, container } = await deploy({
      settings: { ...settings, HTTP_PORT: 9090 },
      networkPolicy: enabled,
    });
    const { egress } = onlyOf(manifests, 'NetworkPolicy').spec ?? {};
    expect(egress).toContainEqual({ to: [instances], ports: [{ port: 9090, protocol: 'TCP' }] });
    const service = onlyOf(manifests, 'Service');
    expect(instances.podSelector.matchLabels).toEqual(service.spec?.selector);
    const { endpointsOf } = await settingsIn(container);
    expect(endpointsOf).toEqual({ host: service.metadata?.name, port: service.spec?.ports?.[0]?.port });
  });

  it('leaves an address for the command endpoints that is set', async () => {
    const { container } = await deploy({ settings: { ...settings, ENDPOINTS_OF: 'elsewhere:80' } });
    expect(await settingsIn(container)).toMatchObject({ endpointsOf: { host: 'elsewhere', port: 80 } });
  });

  it('allows only the proxy, if its URL is in a file', async () => {
    const proxy = { to: [peers], ports: [{ port: 3128, protocol: 'TCP' }] };
    const wall = await policyOf({ DELIVERY_PROXY_URL_FILE: '/proxy' }, { ...enabled, egress: [proxy] });
    expect(allowsEgress(wall, '8.8.8.8', 443)).toBe(false);
  });

  it('allows only the proxy, if there is one', async () => {
    const proxy = { to: [peers], ports: [{ port: 3128, protocol: 'TCP' }] };
    const { manifests } = await deploy(
      {
        settings,
        settingsFrom: { DELIVERY_PROXY_URL: { secret: 'proxy', key: 'url' } },
        networkPolicy: { ...enabled, egress: [proxy] },
      },
      { secrets: { proxy: { url: 'http://proxy:3128' } } },
    );
    const wall = onlyOf(manifests, 'NetworkPolicy');
    expect(wall.spec?.egress).toContainEqual(proxy);
    expect(allowsEgress(wall, '8.8.8.8', 443)).toBe(false);
  });

  it('selects every pod of the release', async () => {
    const { manifests } = await deploy({ settings, networkPolicy: enabled, topicsJob: { enabled: true } });
    const selector = onlyOf(manifests, 'NetworkPolicy').spec?.podSelector?.matchLabels;
    expect(podsIn(manifests).map(({ name, labels }) => [name.split('/')[0], selects(selector, labels)])).toEqual([
      ['Deployment', true],
      ['Job', true],
      ['Pod', true],
    ]);
  });
});

describe('the pods of the Deployment', needs('helm'), () => {
  it('are distinguished from the other pods of the release by every selector', async () => {
    const { manifests, deployment } = await deploy({ settings, topicsJob: { enabled: true } });
    const selectors = [
      onlyOf(manifests, 'Service').spec?.selector,
      onlyOf(manifests, 'PodDisruptionBudget').spec?.selector?.matchLabels,
      deployment.spec?.selector.matchLabels,
    ];
    for (const selector of selectors) {
      expect(podsIn(manifests).map(({ name, labels }) => [name.split('/')[0], selects(selector, labels)])).toEqual([
        ['Deployment', true],
        ['Job', false],
        ['Pod', false],
      ]);
    }
  });

  it('are found by the Service on their port, ready or not', async () => {
    const { manifests } = await deploy({ settings: { ...settings, HTTP_PORT: 9999 } });
    const { spec } = onlyOf(manifests, 'Service');
    expect(spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
    expect(spec?.ports).toEqual([{ name: 'http', port: 9999, targetPort: 'http' }]);
    expect(allOf(manifests, 'NetworkPolicy')).toEqual([]);
  });
});
