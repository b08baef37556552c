import type { Subscriber } from './subscriber.ts';

/** No more than the headers that a retry can't do without, for records that a test writes into a tier itself. */
export function retryHeaders(subscriber: Subscriber): Readonly<Record<string, string>> {
  return {
    'webhook-configuration-id': subscriber.webhookId,
    'owner-id': subscriber.ownerId,
    'certificate-id': String(subscriber.certificate()['_id']),
    'event-type': 'certificate_completed',
    'delivery-id': `somewhere/0/0/${subscriber.webhookId}`,
  };
}
