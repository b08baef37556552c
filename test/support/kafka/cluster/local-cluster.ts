import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Properties } from './broker-properties.ts';
import { createBroker, type Broker } from './broker.ts';
import { connectAdmin, quietClient } from '../client.ts';
import type { Distribution } from './distribution.ts';
import { eventually } from '../../time/eventually.ts';
import { findFreePorts, portsPerBroker } from './ports.ts';
import type { ExtraListener } from './security.ts';

export interface ClusterOptions {
  readonly brokers?: 1 | 3;
  /** Properties of all brokers that override those of `brokerProperties`. */
  readonly properties?: Properties;
  /** Listeners in addition to the plaintext one. */
  readonly listeners?: readonly ExtraListener[];
  /** More flags of the virtual machines. */
  readonly flags?: readonly string[];
  /** The parent of the cluster's folder; the system's temporary folder when left out. */
  readonly folder?: string | undefined;
}

/** Starts the brokers. Resolves once all are usable. */
export async function startBrokers(
  distribution: Distribution,
  { brokers: count = 1, properties = {}, listeners = [], flags = [], folder: parent = tmpdir() }: ClusterOptions = {},
): Promise<LocalCluster> {
  const folder = await mkdtemp(join(parent, 'certificate-webhooks-kafka-'));
  const layout = { brokers: count, firstPort: await findFreePorts(count * portsPerBroker), folder, listeners };
  const clusterId = randomBytes(16).toString('base64url');
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const brokers = await Promise.all(
    ids.map((id) => createBroker({ id, clusterId, layout, properties, distribution, flags })),
  );
  const cluster = new LocalCluster({ brokers, clusterId, folder });
  try {
    for (const broker of brokers) broker.start();
    await cluster.ready();
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
  return cluster;
}

/** A cluster of one or three brokers. Their ids count from 1. */
export class LocalCluster implements AsyncDisposable {
  readonly #brokers: readonly Broker[];
  readonly #clusterId: string;
  readonly #folder: string;

  /** Use `startLocalCluster`. */
  constructor(parts: { readonly brokers: readonly Broker[]; readonly clusterId: string; readonly folder: string }) {
    this.#brokers = parts.brokers;
    this.#clusterId = parts.clusterId;
    this.#folder = parts.folder;
  }

  /** `host:port` of every broker, as `KAFKA_BROKERS` wants them. */
  get brokers(): readonly string[] {
    return this.addressesOf('PLAINTEXT');
  }

  addressesOf(listener: string): readonly string[] {
    return this.#brokers.map((broker) => broker.addressOf(listener));
  }

  /** Crashes the broker: it hands over nothing and keeps its data. */
  async kill(id: number): Promise<void> {
    await this.#broker(id).end('SIGKILL');
  }

  async stop(id: number): Promise<void> {
    await this.#broker(id).end('SIGTERM');
  }

  /** Starts the broker again. After a crash it first waits for the end of its old session, by default 1.5 s. */
  async start(id: number): Promise<void> {
    this.#broker(id).start();
    await this.ready();
  }

  freeze(id: number): void {
    this.#broker(id).freeze();
  }

  thaw(id: number): void {
    this.#broker(id).thaw();
  }

  /** Resolves once every running broker answers and knows all others. */
  async ready(): Promise<void> {
    const running = this.#brokers.filter((broker) => broker.isRunning);
    await Promise.all(running.map((broker) => this.#answers(broker, running.length)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#brokers.map((broker) => broker.end('SIGKILL')));
    await rm(this.#folder, { recursive: true, force: true });
  }

  #broker(id: number): Broker {
    const broker = this.#brokers[id - 1];
    if (broker === undefined)
      throw new Error(`There is no broker ${id}; they count from 1 to ${this.#brokers.length}.`);
    return broker;
  }

  async #answers(broker: Broker, count: number): Promise<void> {
    const kafka = quietClient([broker.addressOf('PLAINTEXT')], { retry: { retries: 0 } });
    await eventually(`broker ${broker.id} knows ${count} brokers`, async () => {
      if (!broker.isRunning) throw new Error(`Broker ${broker.id} ended.\n${await broker.lastLogLines()}`);
      try {
        await using admin = await connectAdmin(kafka);
        const { clusterId, brokers } = await admin.describeCluster();
        // If another cluster has taken the ports, our brokers will end soon.
        return clusterId === this.#clusterId && brokers.length >= count;
      } catch {
        return false;
      }
    });
  }
}
