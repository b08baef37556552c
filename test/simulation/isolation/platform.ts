import { aCertificateDocument, aConfiguration, json } from '../../support/builders.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { MemoryBroker } from '../broker/memory-broker.ts';
import type { NewRecord } from '../broker/partition-log.ts';
import { urlOf } from '../environment/endpoints.ts';
import { topics } from '../scenario/scenario.ts';
import type { Measurements } from './measurements.ts';
import { hashOf, partitionOf, partitions, type Subscription, type Writes } from './situation.ts';

interface PlatformOptions {
  readonly clock: Clock;
  readonly broker: MemoryBroker;
  readonly subscriptions: readonly Subscription[];
  readonly measurements: Measurements;
}

/** Greater than the number of owners, so that neighbours in the list are far apart in the order of writing. */
const stride = 7919;

/** The platform that writes the certificates. Its time is that of the outside world, not that of the process. */
export class Platform {
  readonly #options: PlatformOptions;
  readonly #webhookIds: ReadonlyMap<string, readonly string[]>;
  /** One certificate for each owner. Its records share the bytes, so that a burst takes little memory here. */
  readonly #certificates = new Map<string, NewRecord>();
  /** The time of each offset by partition. Kafka's timestamps are whole milliseconds, which is too coarse here. */
  readonly #appendedAt = Array.from({ length: partitions }, (): number[] => []);

  constructor(options: PlatformOptions) {
    this.#options = options;
    const byOwner = Map.groupBy(options.subscriptions, ({ ownerId }) => ownerId);
    this.#webhookIds = new Map(
      [...byOwner].map(([ownerId, subscriptions]) => [ownerId, subscriptions.map(({ webhookId }) => webhookId)]),
    );
  }

  /** Returns the time at which the certificate of a delivery was appended. */
  appendedAt(deliveryId: string): number {
    const [, partition, offset] = deliveryId.split('/');
    const appendedAt = this.#appendedAt[Number(partition)]?.[Number(offset)];
    if (appendedAt === undefined) throw new Error(`${deliveryId} has no certificate`);
    return appendedAt;
  }

  /** Writes the configurations of all webhooks. */
  configure(): void {
    const { broker, subscriptions } = this.#options;
    const records = subscriptions.map(({ webhookId, ownerId, paused = false, limits }): NewRecord => {
      const url = urlOf(webhookId, 1);
      const value = json(aConfiguration({ _id: webhookId, _ownerId: ownerId, url, paused, limits }));
      return { key: Buffer.from(webhookId), value, headers: [] };
    });
    broker.append({ topic: topics.configurations, partition: 0 }, records);
  }

  /** Writes the certificates at their times, counted from now. */
  schedule(writes: Writes): void {
    const { clock } = this.#options;
    if (writes.kind === 'burst') return void clock.after(writes.atMs, () => this.#writeBurst(writes));
    const { ownerIds, perSecond, fromMs, toMs } = writes;
    const count = ((toMs - fromMs) * perSecond) / 1000;
    const startedAt = clock.now();
    const write = (number: number): void => {
      if (number === count) return;
      clock.after(startedAt + fromMs + ((number + jitterOf(number)) * 1000) / perSecond - clock.now(), () => {
        const ownerId = ownerIds[(number * stride) % ownerIds.length] ?? '';
        this.#append(ownerId, partitionOf(ownerId), 1);
        write(number + 1);
      });
    };
    write(0);
  }

  #writeBurst({ ownerId, count, spread = false }: Extract<Writes, { kind: 'burst' }>): void {
    if (!spread) return this.#append(ownerId, partitionOf(ownerId), count);
    for (let partition = 0; partition < partitions; partition += 1) {
      this.#append(ownerId, partition, Math.floor((count + partitions - 1 - partition) / partitions));
    }
  }

  #append(ownerId: string, partition: number, count: number): void {
    const { clock, broker, measurements } = this.#options;
    const record = this.#certificateOf(ownerId);
    const records = Array.from({ length: count }, () => record);
    for (let left = count; left > 0; left -= 1) this.#appendedAt[partition]?.push(clock.now());
    broker.append({ topic: topics.completed, partition }, records);
    measurements.appended(this.#webhookIds.get(ownerId) ?? [], count);
  }

  #certificateOf(ownerId: string): NewRecord {
    const existing = this.#certificates.get(ownerId);
    if (existing !== undefined) return existing;
    const value = json(aCertificateDocument({ _ownerId: ownerId }));
    const record: NewRecord = { key: Buffer.from(ownerId), value, headers: [] };
    this.#certificates.set(ownerId, record);
    return record;
  }
}

/**
 * Returns the part of an interval by which a certificate comes later than at its start. Certificates at equal distances
 * would be in step with fetches, and one ms more or less of them would show as a difference.
 */
function jitterOf(number: number): number {
  return hashOf(String(number)) / 2 ** 32;
}
