import { eventTypes, type EventType } from './certificate.ts';
import { headerText, type RecordHeaders } from './record.ts';

/** The event type that the topic or a header declares. With `undeclared`, the value decides. */
export type DeclaredEvent = EventType | 'other' | 'undeclared';

/** Returns the event type of the topic. Only for a mixed topic, whose type is undefined, the headers decide. */
export function declaredEvent(topicType: EventType | undefined, headers: RecordHeaders): DeclaredEvent {
  if (topicType !== undefined) return topicType;
  const named = headerText(headers, 'event-type') ?? headerText(headers, 'ce_type');
  if (named === undefined) return 'undeclared';
  return eventTypes.find((eventType) => eventType === named) ?? 'other';
}

/** Applies rule 2 of the contract's Events. A certificate that expires exactly at `asOf`, in epoch ms, is not expired. */
export function eventTypeByExpiry(expiresAt: number | undefined, asOf: number): EventType {
  return expiresAt !== undefined && expiresAt < asOf ? 'certificate_expired' : 'certificate_completed';
}
