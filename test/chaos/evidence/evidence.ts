import type { RecordAnswer } from '../../../src/cli/explain/answers.ts';
import type { SettledRange } from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import type { ReceivedRequest } from '../receiver/messages.ts';

/**
 * Everything that was observed of one fault from outside the service: topics, commits, requests at the endpoints, and
 * the injected faults. The checks read nothing else.
 *
 * All times are epoch milliseconds. Every process runs on one machine, so they can be compared.
 */
export interface Evidence {
  /** The records of the certificate topic at the end. */
  readonly records: readonly ProducedRecord[];
  /** The records that the brokers acknowledged to the producer. */
  readonly acknowledged: readonly AcknowledgedRecord[];
  readonly webhooksByOwner: ReadonlyMap<string, readonly string[]>;
  readonly requests: readonly ReceivedRequest[];
  /** The records of the tiers and the dead-letter topic at the end. */
  readonly published: readonly PublishedDelivery[];
  /** The different records of the results topic at the end. */
  readonly results: readonly Result[];
  /** The answers of `explain` for all certificates at the end. Undefined in tests of the other checks. */
  readonly explanations?: readonly RecordAnswer[] | undefined;
  /** The attempts that all instances have counted, by outcome. Undefined if one of them had ended before. */
  readonly attemptsCounted: ReadonlyMap<string, number> | undefined;
  /** The changes of commits, in the order of observation. */
  readonly commits: readonly ObservedCommit[];
  readonly disruptions: readonly Disruption[];
  /** The limit for concurrent requests of one instance. */
  readonly maxInFlight: number;
}

interface RecordPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface ProducedRecord extends RecordPosition {
  readonly ownerId: string;
  readonly certificateId: string;
  readonly at: number;
}

export interface AcknowledgedRecord {
  readonly partition: number;
  readonly offset: number;
  readonly certificateId: string;
  readonly at: number;
}

/** A record of a tier or of the dead-letter topic. */
export interface PublishedDelivery extends RecordPosition {
  readonly deliveryId: string;
  readonly at: number;
  /** Attempt and deferral count. Two records of one delivery with the same key are copies of each other. */
  readonly copyKey: string;
  /** Undefined for a record of a tier. */
  readonly deadLetterReason: string | undefined;
}

/** A record of the results topic that is about a delivery. */
export interface Result {
  readonly type: string;
  readonly deliveryId: string;
  readonly outcome: string | undefined;
  /**
   * The number of records with the same text. They are copies of one record, or tell of two attempts in one millisecond. That
   * happens when a tier has a copy of a retry.
   */
  readonly written: number;
  /** The time at which the broker appended the first of them. */
  readonly at: number;
}

/** A commit of a group: everything below the offset is settled, and the ranges above it from the metadata. */
export interface ObservedCommit extends RecordPosition {
  readonly settled: readonly SettledRange[];
  readonly at: number;
}

/** A period in which an instance may lose what it has not committed. */
export interface Disruption {
  readonly from: number;
  readonly to: number;
}

/** Returns the delivery id that the service uses for a record and a webhook. */
export function deliveryIdOf({ topic, partition, offset }: RecordPosition, webhookId: string): string {
  return `${topic}/${partition}/${offset}/${webhookId}`;
}

export function webhookIdOf(deliveryId: string): string {
  return deliveryId.slice(deliveryId.lastIndexOf('/') + 1);
}
