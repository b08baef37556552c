import type { SettledRange } from '../../../src/kafka/consumer/settled-offsets.ts';
import type { Reception } from '../receiver/messages.ts';

/** All that was seen of a fault from outside. Times are epoch milliseconds of one machine's clock. */
export interface Evidence {
  /** What the certificate topic holds in the end. */
  readonly records: readonly SourceSeen[];
  /** What the brokers acknowledged to the producer. */
  readonly acknowledged: readonly Acknowledged[];
  readonly webhooksByOwner: ReadonlyMap<string, readonly string[]>;
  readonly requests: readonly Reception[];
  /** What the tiers and the dead-letter topic hold in the end. */
  readonly handoffs: readonly HandoffSeen[];
  /** In the order in which they were seen. */
  readonly commits: readonly CommitSeen[];
  readonly disruptions: readonly Disruption[];
  /** Requests at once, of an instance. */
  readonly maxInFlight: number;
}

export interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface SourceSeen extends Place {
  readonly ownerId: string;
  readonly certificateId: string;
  readonly at: number;
}

export interface Acknowledged {
  readonly partition: number;
  readonly offset: number;
  readonly certificateId: string;
  readonly at: number;
}

/** A record of a tier, or with a reason one of the dead-letter topic. */
export interface HandoffSeen extends Place {
  readonly deliveryId: string;
  readonly at: number;
  /** What it is the record of: equal ones of a delivery are copies of each other. */
  readonly stage: string;
  readonly deadBecause: string | undefined;
}

/** What a group had committed of a partition: everything below the offset, and these ranges above it. */
export interface CommitSeen extends Place {
  readonly settled: readonly SettledRange[];
  readonly at: number;
}

/** A time in which an instance may lose what it has not committed. */
export interface Disruption {
  readonly from: number;
  readonly to: number;
}

/** The id of the delivery of a record to a webhook, as the service names it. */
export function deliveryIdOf({ topic, partition, offset }: Place, webhookId: string): string {
  return `${topic}/${partition}/${offset}/${webhookId}`;
}

export function webhookIdOf(deliveryId: string): string {
  return deliveryId.slice(deliveryId.lastIndexOf('/') + 1);
}
