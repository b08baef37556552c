import type { CertificateEvent } from '../subscribers/certificates.ts';
import type { Subscriber } from '../subscribers/subscribers.ts';

/** The events that a subscriber is to be told of: those of its owner that it wants. */
export function wantedBy<Event extends Pick<CertificateEvent, 'owner' | 'event'>>(
  { owner, events }: Subscriber,
  all: readonly Event[],
): readonly Event[] {
  return all.filter((one) => one.owner.id === owner.id && events.includes(one.event));
}

export function deliveriesOf(subscribers: readonly Subscriber[], events: readonly CertificateEvent[]): number {
  return subscribers.reduce((sum, subscriber) => sum + wantedBy(subscriber, events).length, 0);
}
