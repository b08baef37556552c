import type { Directory, Webhook } from '../webhooks/webhook.ts';
import type { Delivery } from './delivery.ts';
import type { Outcome } from './outcome.ts';

type Found =
  { readonly kind: 'found'; readonly webhook: Webhook } | { readonly kind: 'refused'; readonly outcome: Outcome };

/** Returns the current version of a delivery's webhook, or the outcome when no request may be made to it. */
export function lookUp(delivery: Delivery, directory: Pick<Directory, 'byId'>): Found {
  const webhook = directory.byId(delivery.webhookId);
  if (webhook === undefined || !isSubscribed(delivery, webhook)) return refused('unsubscribed');
  switch (webhook.state) {
    case 'active':
      return { kind: 'found', webhook };
    case 'paused':
      return refused('paused');
    case 'disabled':
      return refused('unsubscribed');
    case 'invalid':
      return refused('configuration_invalid');
  }
}

/**
 * An invalid configuration without an owner may still be this owner's, so its deliveries wait instead of being dropped.
 */
function isSubscribed(delivery: Delivery, webhook: Webhook): boolean {
  const isOwners = webhook.ownerId === delivery.ownerId || webhook.ownerId === undefined;
  return isOwners && webhook.wants(delivery.eventType);
}

function refused(kind: 'unsubscribed' | 'paused' | 'configuration_invalid'): Found {
  return { kind: 'refused', outcome: { kind } };
}
