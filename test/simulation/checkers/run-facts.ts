import { eventTypes, type EventType } from '../../../src/certificates/certificate.ts';
import { acceptanceKey } from '../../../src/kafka/reader/newest-versions.ts';
import { headerNames } from '../../../src/kafka/records/headers.ts';
import type { LoggedRecord } from '../broker/partition-log.ts';
import type { Entry, RecordPosition } from '../history.ts';
import { topics, topicOf } from '../scenario/scenario.ts';
import type { Run } from '../run-scenario.ts';
import { subjectOf, headerOf } from '../environment/recording.ts';
import { WebhookVersions } from './webhook-versions.ts';

/** A record that the service has to read, classified by its bytes. `index` is that of its entry in the history. */
export type InputRecord = { readonly index: number; readonly position: string; readonly topic: string } & (
  | { readonly kind: 'certificate'; readonly ownerId: string; readonly eventType: EventType }
  | { readonly kind: 'retry'; readonly deliveryId: string; readonly attempt: number; readonly plannedAt: string }
  /** A record that can only be dead-lettered. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'ignored' }
  /** A result that a tier holds for the results topic. */
  | { readonly kind: 'owed_result'; readonly value: Buffer | null }
);

/** An entry that settles one delivery, or dead-letters one record. */
export interface Proof {
  readonly index: number;
  readonly instance: string;
  readonly how: 'delivered' | 'written' | 'dead_lettered';
}

/**
 * The facts of one run that the checkers share: its records, its proofs and the versions of its webhooks.
 *
 * The constructor reads the history once. After that, nothing changes.
 *
 * - `inputs`: every record of the certificate topics and the tiers, by position.
 * - `proofs`: the entries that settle something. A 2xx counts when the process got the response, and a write when the
 *   process got the acknowledgement. Whatever a process did not learn does not allow it to settle anything.
 * - `versions`: the configurations of each webhook over time.
 *
 * A certificate requires a delivery to each webhook that was subscribed throughout: from the certificate's append to
 * the entry in question. If the subscription changed in that time, the service may use either version, so both results
 * are correct.
 */
export class RunFacts {
  readonly run: Run;
  readonly versions = new WebhookVersions();
  /** The key is `<topic>/<partition>/<offset>`. */
  readonly inputs = new Map<string, InputRecord>();
  /** The key is a delivery id, or the position of a record that was dead-lettered. */
  readonly proofs = new Map<string, Proof[]>();

  constructor(run: Run) {
    this.run = run;
    for (const [index, entry] of run.entries.entries()) this.#take(index, entry);
  }

  get entries(): readonly Entry[] {
    return this.run.entries;
  }

  /** The index behind the last entry: an interval up to it includes every entry. */
  get end(): number {
    return this.entries.length;
  }

  proofsOf(key: string): readonly Proof[] {
    return this.proofs.get(key) ?? [];
  }

  /** Returns the delivery of a retry record, or the deliveries that a certificate is known to have led to. */
  deliveriesOf(position: string): readonly string[] {
    const input = this.inputs.get(position);
    if (input?.kind === 'retry') return [input.deliveryId];
    return [...this.proofs.keys()].filter((key) => key.startsWith(`${position}/`));
  }

  /** Returns the deliveries that a certificate must have led to by entry `to`. */
  requiredDeliveries(input: Extract<InputRecord, { kind: 'certificate' }>, to: number): readonly string[] {
    const { ownerId, eventType, index: from, position } = input;
    return this.versions
      .subscribedThroughout(ownerId, eventType, { from, to })
      .map((webhookId) => `${position}/${webhookId}`);
  }

  /** Returns true if the delivery's webhook was subscribed to it for the whole interval. */
  isSubscribedThroughout(deliveryId: string, interval: { readonly from: number; readonly to: number }): boolean {
    const { position, webhookId } = parseDeliveryId(deliveryId);
    const input = this.inputs.get(position);
    if (input?.kind !== 'certificate') return false;
    return this.versions.subscribedThroughout(input.ownerId, input.eventType, interval).includes(webhookId);
  }

  #take(index: number, entry: Entry): void {
    if (entry.kind === 'appended') this.#takeRecord(index, entry.record);
    if (entry.kind === 'dropped') this.versions.add(index, { key: Buffer.from(entry.webhookId), value: null });
    if (entry.kind === 'answered' && entry.outcome === 'delivered') {
      this.#prove(entry.deliveryId, { index, instance: entry.instance, how: 'delivered' });
    }
    if (entry.kind === 'acknowledged' && entry.topic !== topics.results) {
      const how = entry.topic === topics.deadLetters ? 'dead_lettered' : 'written';
      const { deliveryId, source } = entry.subject;
      this.#prove(deliveryId ?? source, { index, instance: entry.instance, how });
    }
  }

  #takeRecord(index: number, record: LoggedRecord): void {
    if (record.topic === topics.configurations) {
      if (String(record.key) !== acceptanceKey) this.versions.add(index, record);
    } else if (record.topic !== topics.deadLetters && record.topic !== topics.results)
      this.inputs.set(positionOf(record), inputRecordOf(index, record));
  }

  #prove(key: string, proof: Proof): void {
    const proofs = this.proofs.get(key) ?? [];
    proofs.push(proof);
    this.proofs.set(key, proofs);
  }
}

export function positionOf({ topic, partition, offset }: RecordPosition): string {
  return `${topic}/${partition}/${offset}`;
}

/** Splits `<topic>/<partition>/<offset>/<webhook id>`. */
export function parseDeliveryId(deliveryId: string): { readonly position: string; readonly webhookId: string } {
  const at = deliveryId.lastIndexOf('/');
  return { position: deliveryId.slice(0, at), webhookId: deliveryId.slice(at + 1) };
}

function inputRecordOf(index: number, record: LoggedRecord): InputRecord {
  const shared = { index, position: positionOf(record), topic: record.topic };
  const eventType = eventTypes.find((event) => topicOf(event) === record.topic);
  if (eventType === undefined) return { ...shared, ...retryOf(record) };
  if (record.value === null) return { ...shared, kind: 'ignored' };
  const ownerId = ownerIn(record.value);
  return ownerId === undefined
    ? { ...shared, kind: 'invalid' }
    : { ...shared, kind: 'certificate', ownerId, eventType };
}

function retryOf({
  headers,
  value,
}: LoggedRecord):
  | { readonly kind: 'retry'; readonly deliveryId: string; readonly attempt: number; readonly plannedAt: string }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'owed_result'; readonly value: Buffer | null } {
  if (headerOf(headers, headerNames.owedResult) !== undefined) return { kind: 'owed_result', value };
  const { deliveryId } = subjectOf(headers);
  if (deliveryId === undefined) return { kind: 'invalid' };
  return {
    kind: 'retry',
    deliveryId,
    attempt: Number(headerOf(headers, 'attempt')),
    plannedAt: String(headerOf(headers, 'planned-at')),
  };
}

function ownerIn(value: Buffer): string | undefined {
  try {
    return (JSON.parse(value.toString()) as { readonly _ownerId?: string })._ownerId;
  } catch {
    return undefined;
  }
}
