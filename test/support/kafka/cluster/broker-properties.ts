import { join } from 'node:path';
import { portsPerBroker } from './ports.ts';
import type { ExtraListener } from './security.ts';

export type Properties = Readonly<Record<string, string | number | boolean>>;

export interface Layout {
  readonly brokers: number;
  readonly firstPort: number;
  /** The folder in which each broker has its data, as `data-<id>`. */
  readonly folder: string;
  /** Listeners in addition to the plaintext one. */
  readonly listeners: readonly ExtraListener[];
}

/** Returns the properties of a broker that is also a controller. Durable as in production, but small and fast. */
export function brokerProperties(id: number, layout: Layout): Properties {
  return { ...network(id, layout), ...replication(layout.brokers), ...small, ...quick };
}

export function portOf(id: number, listener: string, { firstPort, listeners }: Layout): number {
  const base = firstPort + portsPerBroker * (id - 1);
  if (listener === 'CONTROLLER') return base + portsPerBroker - 1;
  return base + 1 + listeners.findIndex(({ name }) => name === listener);
}

export function addressOf(id: number, listener: string, layout: Layout): string {
  const { address = '127.0.0.1' } = layout.listeners.find(({ name }) => name === listener) ?? {};
  return `${address}:${portOf(id, listener, layout)}`;
}

export function propertiesText(properties: Properties): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${String(value).replaceAll('\n', String.raw`\n`)}\n`)
    .join('');
}

function network(id: number, layout: Layout): Properties {
  const names = ['PLAINTEXT', ...layout.listeners.map(({ name }) => name), 'CONTROLLER'];
  const protocols = new Map(layout.listeners.map(({ name, protocol }) => [name, protocol]));
  const at = (broker: number, listener: string): string => addressOf(broker, listener, layout);
  const ids = Array.from({ length: layout.brokers }, (_, index) => index + 1);
  return {
    'process.roles': 'broker,controller',
    'node.id': id,
    'log.dirs': join(layout.folder, `data-${id}`),
    listeners: names.map((name) => `${name}://${at(id, name)}`).join(),
    'listener.security.protocol.map': names.map((name) => `${name}:${protocols.get(name) ?? 'PLAINTEXT'}`).join(),
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'controller.quorum.voters': ids.map((voter) => `${voter}@${at(voter, 'CONTROLLER')}`).join(),
  };
}

function replication(brokers: number): Properties {
  const replicas = Math.min(3, brokers);
  const inSync = Math.max(1, replicas - 1);
  return {
    'auto.create.topics.enable': false,
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': inSync,
  };
}

const small: Properties = {
  'num.partitions': 1,
  'offsets.topic.num.partitions': 4,
  'transaction.state.log.num.partitions': 2,
  'share.coordinator.state.topic.num.partitions': 2,
  // The broker writes to the whole buffer at start; the default is 128 MiB.
  'log.cleaner.dedupe.buffer.size': 4_194_304,
  'num.network.threads': 2,
  'num.io.threads': 2,
  'background.threads': 2,
  'num.recovery.threads.per.data.dir': 1,
};

/** Short timeouts. A killed broker can register again only after `broker.session.timeout.ms`. */
const quick: Properties = {
  'group.initial.rebalance.delay.ms': 0,
  'group.min.session.timeout.ms': 1000,
  'broker.heartbeat.interval.ms': 250,
  'broker.session.timeout.ms': 1500,
  'controller.quorum.fetch.timeout.ms': 1000,
  'controller.quorum.election.timeout.ms': 500,
  'controller.quorum.election.backoff.max.ms': 250,
  'controller.quorum.request.timeout.ms': 1000,
  'replica.lag.time.max.ms': 3000,
  'replica.fetch.wait.max.ms': 100,
  'replica.fetch.backoff.ms': 100,
  'leader.imbalance.check.interval.seconds': 3,
  'log.cleaner.backoff.ms': 500,
};
