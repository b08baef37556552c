import { deliveryIdHeader } from '../chaos/receiver/messages.ts';
import { startReceiver, type Receiver } from '../chaos/receiver/receiver.ts';
import { aCertificateDocument, aConfiguration, json } from '../support/builders.ts';
import { committedOffsets } from '../support/kafka/commits.ts';
import { produce } from '../support/kafka/records.ts';
import { startPlatform, type Platform } from '../support/service/platform.ts';
import { startWatchedService, type WatchedService } from './watched-service.ts';

interface EnvironmentOptions {
  /** The delays of the tiers. */
  readonly delays: readonly string[];
}

interface Owner {
  readonly ownerId: string;
  /** The number of its webhooks. */
  readonly webhooks: number;
}

interface Certificates {
  readonly ownerId: string;
  readonly count: number;
  readonly partition: number;
}

export const partitions = 6;
/** Records in one request to Kafka. A request has at most 1 MB, and a record less than 700 bytes. */
const recordsPerRequest = 1000;

/** Starts topics, and a receiver in a process of its own that answers each request at once. */
export async function startEnvironment({ delays }: EnvironmentOptions): Promise<FanOutEnvironment> {
  await using stack = new AsyncDisposableStack();
  const platform = stack.use(
    await startPlatform({
      partitions,
      delays,
      environment: {
        LOG_LEVEL: 'info',
        DELIVERY_ID_HEADER: deliveryIdHeader,
        DELIVERY_TIMEOUT: '15s',
        DELIVERY_CONNECT_TIMEOUT: '5s',
        SHUTDOWN_GRACE: '25s',
        // With few connections, handshakes cost little beside the fan-out.
        DELIVERY_MAX_IN_FLIGHT: '128',
      },
    }),
  );
  const identity = platform.authority.issue();
  const receiver = stack.use(await startReceiver({ identity, endpoints: ['healthy'], respondAfterMs: 0 }));
  return new FanOutEnvironment({ platform, receiver, resources: stack.move() });
}

/** Everything around a service whose owners have many webhooks. */
export class FanOutEnvironment implements AsyncDisposable {
  readonly #platform: Platform;
  readonly #receiver: Receiver;
  readonly #resources: AsyncDisposable;

  /** Use `startEnvironment`. */
  constructor(parts: {
    readonly platform: Platform;
    readonly receiver: Receiver;
    readonly resources: AsyncDisposable;
  }) {
    this.#platform = parts.platform;
    this.#receiver = parts.receiver;
    this.#resources = parts.resources;
  }

  startService(): Promise<WatchedService> {
    return startWatchedService(this.#platform.environment);
  }

  /** Writes the configurations of all webhooks of these owners. */
  async configure(owners: readonly Owner[]): Promise<void> {
    const documents = owners.flatMap((owner) =>
      webhookIdsOf(owner).map((_id) =>
        aConfiguration({ _id, _ownerId: owner.ownerId, url: this.#receiver.url(`/${_id}`) }),
      ),
    );
    for (const part of chunksOf(documents)) await this.#platform.configure(...part);
  }

  /** Writes certificates. Resolves once Kafka has them all. */
  async complete(groups: readonly Certificates[]): Promise<void> {
    const { kafka, topics } = this.#platform;
    const records = groups.flatMap(({ ownerId, count, partition }) =>
      Array.from({ length: count }, (_, index) => ({
        key: ownerId,
        value: json(aCertificateDocument({ _id: certificateIdOf(ownerId, index), _ownerId: ownerId })),
        partition,
      })),
    );
    for (const part of chunksOf(records)) await produce(kafka, topics.completed, part);
  }

  /** The number of requests so far. */
  get received(): number {
    return this.#receiver.requests.length;
  }

  /** The number of requests whose delivery had been received before. */
  get repeated(): number {
    const ids = new Set(this.#receiver.requests.map(({ deliveryId }) => deliveryId));
    return this.received - ids.size;
  }

  /** Returns when the first certificate of the owner was received, in epoch milliseconds. */
  firstReceivedAt(ownerId: string): number | undefined {
    const wanted = certificateIdOf(ownerId, 0);
    return this.#receiver.requests.find(({ certificateId }) => certificateId === wanted)?.at;
  }

  /** Returns the number of committed records by partition of the certificates. */
  async committed(): Promise<ReadonlyMap<number, number>> {
    const { kafka, topics, environment } = this.#platform;
    const group = String(environment['KAFKA_GROUP_ID']);
    const commits = await committedOffsets(kafka, { group, topic: topics.completed });
    return new Map(commits.map(({ partition, offset }) => [partition, offset]));
  }

  /** Returns the ids of the deliveries that the receiver accepted or a tier holds. */
  async settledDeliveries(): Promise<ReadonlySet<string>> {
    await this.#receiver.report();
    const ids = new Set(this.#receiver.accepted);
    for (const delay of String(this.#platform.environment['RETRY_DELAYS']).split(','))
      for (const { headers } of await this.#platform.tier(delay)) ids.add(headers['delivery-id'] ?? '');
    return ids;
  }

  /** Returns the ids of the deliveries that the first `records` records of a partition become. */
  deliveryIdsOf(
    owner: Owner,
    { partition, records }: { readonly partition: number; readonly records: number },
  ): string[] {
    const { completed } = this.#platform.topics;
    const webhookIds = webhookIdsOf(owner);
    const idsAt = (offset: number): string[] => webhookIds.map((id) => `${completed}/${partition}/${offset}/${id}`);
    return Array.from({ length: records }, (_, offset) => idsAt(offset)).flat();
  }

  async deadLetters(): Promise<number> {
    return (await this.#platform.deadLetters()).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }
}

/** Returns owners with one webhook each. */
export function ownersOfOne(count: number): readonly Owner[] {
  return Array.from({ length: count }, (_, index) => ({ ownerId: `single-${index}`, webhooks: 1 }));
}

function webhookIdsOf({ ownerId, webhooks }: Owner): readonly string[] {
  return Array.from({ length: webhooks }, (_, index) => `${ownerId}-webhook-${index}`);
}

function certificateIdOf(ownerId: string, index: number): string {
  return `${ownerId}-certificate-${index}`;
}

function* chunksOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += recordsPerRequest)
    yield items.slice(start, start + recordsPerRequest);
}
