import type { Directory, Webhook } from '../webhooks/webhook.ts';
import type { Delivery } from './delivery.ts';
import type { Outcome } from './outcome.ts';

const unsubscribed: Outcome = { kind: 'unsubscribed' };
const paused: Outcome = { kind: 'paused' };
const invalid: Outcome = { kind: 'configuration_invalid' };

/** Returns the current version of a delivery's webhook, or the outcome when no request may be made to it. */
export function lookUp(delivery: Delivery, directory: Pick<Directory, 'byId'>): Webhook | Outcome {
  const webhook = directory.byId(delivery.webhookId);
  if (webhook === undefined || !isSubscribed(delivery, webhook)) return unsubscribed;
  switch (webhook.state) {
    case 'active':
      return webhook;
    case 'paused':
      return paused;
    case 'disabled':
      return unsubscribed;
    case 'invalid':
      return invalid;
  }
}

/**
 * An invalid configuration without an owner may still be this owner's, so its deliveries wait instead of being dropped.
 */
function isSubscribed(delivery: Delivery, webhook: Webhook): boolean {
  const isOwners = webhook.ownerId === delivery.ownerId || webhook.ownerId === undefined;
  return isOwners && webhook.wants(delivery.eventType);
}
