import type { Subscriber } from './subscriber.ts';

/** Returns the required headers of a retry record, for tests that write to a tier. */
export function retryHeaders(subscriber: Subscriber): Readonly<Record<string, string>> {
  return {
    'webhook-configuration-id': subscriber.webhookId,
    'owner-id': subscriber.ownerId,
    'certificate-id': String(subscriber.certificate()['_id']),
    'event-type': 'certificate_completed',
    'delivery-id': `somewhere/0/0/${subscriber.webhookId}`,
  };
}
