import { eventTypes, type EventType } from '../../../src/certificates/certificate.ts';
import type { LoggedRecord } from '../broker/partition-log.ts';
import type { Entry, Place } from '../history.ts';
import { topics, topicOf } from '../scenario/scenario.ts';
import type { Run } from '../run-scenario.ts';
import { subjectOf } from '../environment/recording.ts';
import { WebhookVersions } from './webhook-versions.ts';

/** A record that the service is to read, as its bytes tell. */
export type InputRecord = { readonly index: number; readonly place: string; readonly topic: string } & (
  | { readonly kind: 'certificate'; readonly ownerId: string; readonly eventType: EventType }
  | { readonly kind: 'retry'; readonly deliveryId: string; readonly attempt: number; readonly plannedAt: string }
  /** A record that can only be deadLettered. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'ignored' }
);

/** Something that settles one delivery, or buries one record. */
export interface Proof {
  readonly index: number;
  readonly instance: string;
  readonly how: 'delivered' | 'written' | 'dead_lettered';
}

/** A run as the checkers look at it: who wanted what, and what there is to show for it. */
export class RunFacts {
  readonly run: Run;
  readonly versions = new WebhookVersions();
  /** By `topic/partition/offset`. */
  readonly inputs = new Map<string, InputRecord>();
  /** By delivery id, or by the place of the record that was deadLettered. */
  readonly proofs = new Map<string, Proof[]>();

  constructor(run: Run) {
    this.run = run;
    for (const [index, entry] of run.entries.entries()) this.#take(index, entry);
  }

  get entries(): readonly Entry[] {
    return this.run.entries;
  }

  /** The last entry is part of it. */
  get end(): number {
    return this.entries.length;
  }

  proofsOf(key: string): readonly Proof[] {
    return this.proofs.get(key) ?? [];
  }

  /** All deliveries that the record at that place is, or may have come to. */
  deliveriesOf(place: string): readonly string[] {
    const input = this.inputs.get(place);
    if (input?.kind === 'retry') return [input.deliveryId];
    return [...this.proofs.keys()].filter((key) => key.startsWith(`${place}/`));
  }

  /** Deliveries that a certificate must have come to, whatever the order of things between these two entries. */
  owed(input: Extract<InputRecord, { kind: 'certificate' }>, to: number): readonly string[] {
    const { ownerId, eventType, index: from, place } = input;
    return this.versions.certain(ownerId, eventType, { from, to }).map((webhookId) => `${place}/${webhookId}`);
  }

  /** Whether the delivery's webhook wanted it all the time from one entry to the other. */
  isWanted(deliveryId: string, span: { readonly from: number; readonly to: number }): boolean {
    const { place, webhookId } = parseDeliveryId(deliveryId);
    const input = this.inputs.get(place);
    if (input?.kind !== 'certificate') return false;
    return this.versions.isCertain(webhookId, input.ownerId, input.eventType, span);
  }

  #take(index: number, entry: Entry): void {
    if (entry.kind === 'appended') this.#takeRecord(index, entry.record);
    if (entry.kind === 'answered' && entry.outcome === 'delivered') {
      this.#prove(entry.deliveryId, { index, instance: entry.instance, how: 'delivered' });
    }
    if (entry.kind === 'acknowledged') {
      const how = entry.topic === topics.deadLetters ? 'dead_lettered' : 'written';
      const { deliveryId, source } = entry.subject;
      this.#prove(deliveryId ?? source, { index, instance: entry.instance, how });
    }
  }

  #takeRecord(index: number, record: LoggedRecord): void {
    if (record.topic === topics.configurations) this.versions.add(index, record);
    else if (record.topic !== topics.deadLetters) this.inputs.set(placeOf(record), inputRecordOf(index, record));
  }

  #prove(key: string, proof: Proof): void {
    const proofs = this.proofs.get(key) ?? [];
    proofs.push(proof);
    this.proofs.set(key, proofs);
  }
}

export function placeOf({ topic, partition, offset }: Place): string {
  return `${topic}/${partition}/${offset}`;
}

/** `<topic>/<partition>/<offset>/<webhook id>` */
export function parseDeliveryId(deliveryId: string): { readonly place: string; readonly webhookId: string } {
  const at = deliveryId.lastIndexOf('/');
  return { place: deliveryId.slice(0, at), webhookId: deliveryId.slice(at + 1) };
}

function inputRecordOf(index: number, record: LoggedRecord): InputRecord {
  const shared = { index, place: placeOf(record), topic: record.topic };
  const eventType = eventTypes.find((event) => topicOf(event) === record.topic);
  if (eventType === undefined) return { ...shared, ...retryOf(record) };
  if (record.value === null) return { ...shared, kind: 'ignored' };
  const ownerId = ownerIn(record.value);
  return ownerId === undefined ? { ...shared, kind: 'broken' } : { ...shared, kind: 'certificate', ownerId, eventType };
}

function retryOf({
  headers,
}: LoggedRecord):
  | { readonly kind: 'retry'; readonly deliveryId: string; readonly attempt: number; readonly plannedAt: string }
  | { readonly kind: 'broken' } {
  const { deliveryId } = subjectOf(headers);
  if (deliveryId === undefined) return { kind: 'broken' };
  return { kind: 'retry', deliveryId, attempt: Number(headers['attempt']), plannedAt: String(headers['planned-at']) };
}

function ownerIn(value: Buffer): string | undefined {
  try {
    return (JSON.parse(value.toString()) as { readonly _ownerId?: string })._ownerId;
  } catch {
    return undefined;
  }
}
