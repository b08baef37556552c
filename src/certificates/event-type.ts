import { eventTypes, type EventType } from './certificate.ts';
import { headerText, type RecordHeaders } from './record.ts';

/** What a record is said to be before its value is looked at: `undeclared` leaves it to the value. */
export type DeclaredEvent = EventType | 'other' | 'undeclared';

/** The topic's event type is that of all its records; only the headers of a mixed topic are asked. */
export function declaredEvent(ofTopic: EventType | undefined, headers: RecordHeaders): DeclaredEvent {
  if (ofTopic !== undefined) return ofTopic;
  const named = headerText(headers, 'event-type') ?? headerText(headers, 'ce_type');
  if (named === undefined) return 'undeclared';
  return eventTypes.find((eventType) => eventType === named) ?? 'other';
}

/** Rule 2 of the contract's Events, as of `at` in epoch milliseconds: that very moment has not passed. */
export function eventTypeByExpiry(expiresAt: number | undefined, at: number): EventType {
  return expiresAt !== undefined && expiresAt < at ? 'certificate_expired' : 'certificate_completed';
}
