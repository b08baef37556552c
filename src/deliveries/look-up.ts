import type { Directory, Webhook } from '../webhooks/webhook.ts';
import type { Delivery } from './delivery.ts';
import type { Outcome } from './outcome.ts';

export type Found =
  { readonly kind: 'found'; readonly webhook: Webhook } | { readonly kind: 'refused'; readonly outcome: Outcome };

/** A delivery's webhook as it stands now, or why there is no request to it. */
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

/** A refused configuration that does not say whose it is may still be this owner's: its deliveries wait. */
function isSubscribed(delivery: Delivery, webhook: Webhook): boolean {
  const isOwners = webhook.ownerId === delivery.ownerId || webhook.ownerId === undefined;
  return isOwners && webhook.wants(delivery.eventType);
}

function refused(kind: 'unsubscribed' | 'paused' | 'configuration_invalid'): Found {
  return { kind: 'refused', outcome: { kind } };
}
