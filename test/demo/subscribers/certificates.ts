import type { EventType } from '../../../src/certificates/certificate.ts';
import { aCertificateDocument, json, type Document } from '../../support/builders.ts';

/** An organization and the number of its certificates in the demo. */
export interface Owner {
  readonly id: string;
  /** The partition of all its records, so that its certificates stay in order. */
  readonly partition: number;
  readonly completed: number;
  readonly expired: number;
}

/**
 * The owners of the demo. Those of a failing endpoint have few certificates, so that no circuit opens before the last failure
 * of the endpoint that always fails.
 */
export const owners = {
  harbour: { id: '665f1f77bcf86cd799439000', partition: 0, completed: 100, expired: 12 },
  northern: { id: '665f1f77bcf86cd799439002', partition: 1, completed: 80, expired: 10 },
  city: { id: '665f1f77bcf86cd799439003', partition: 2, completed: 24, expired: 40 },
  summit: { id: '665f1f77bcf86cd799439004', partition: 3, completed: 12, expired: 16 },
  sandbox: { id: '665f1f77bcf86cd799439005', partition: 4, completed: 10, expired: 8 },
} as const satisfies Readonly<Record<string, Owner>>;

/** A certificate event before it is produced. */
export interface CertificateEvent {
  readonly id: string;
  readonly owner: Owner;
  readonly event: EventType;
  readonly body: Buffer;
}

/** Returns all events of the demo. The events of each owner are spread evenly over the list. */
export function certificateEvents(): readonly CertificateEvent[] {
  const groups = Object.values(owners).flatMap((owner: Owner) => [
    { owner, event: 'certificate_completed', count: owner.completed } as const,
    { owner, event: 'certificate_expired', count: owner.expired } as const,
  ]);
  return groups
    .flatMap(({ owner, event, count }) =>
      Array.from({ length: count }, (_, index) => ({ owner, event, place: (index + 0.5) / count })),
    )
    .toSorted((one, other) => one.place - other.place)
    .map(({ owner, event }, index) => certificateEvent(owner, event, index));
}

/** Creates an event. The number decides its id and how its JSON is written. */
export function certificateEvent(owner: Owner, event: EventType, number: number): CertificateEvent {
  const id = `507f1f77bcf86cd7${number.toString(16).padStart(8, '0')}`;
  const document = aCertificateDocument({ _id: id, _ownerId: owner.id, ...stateOf(event) });
  return { id, owner, event, body: encode(document, number) };
}

function stateOf(event: EventType): Document {
  switch (event) {
    case 'certificate_completed':
      return {};
    case 'certificate_expired':
      return {
        creationDate: '2022-03-14T09:26:53.589Z',
        expires: '2024-03-13T09:26:53.589Z',
        expiryReminderSent: true,
      };
  }
}

/** Writes JSON in one of three forms: compact, indented, escaped. Subscribers must get these exact bytes. */
function encode(document: Document, number: number): Buffer {
  switch (number % 3) {
    case 1:
      return Buffer.from(JSON.stringify(document, undefined, 2), 'utf8');
    case 2:
      return Buffer.from(JSON.stringify({ ...document, region: 'Köln' }).replace('ö', String.raw`\u00f6`), 'utf8');
    default:
      return json(document);
  }
}
