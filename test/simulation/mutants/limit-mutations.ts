import type { Webhook, WebhookLimits } from '../../../src/webhooks/webhook.ts';
import { replaceMembers } from '../environment/replace-members.ts';
import { noMutation, type Mutation } from './mutation.ts';

/** Changes the limits of all webhooks. A version of a webhook stays one object, because the gates compare it. */
export function withLimits(change: (limits: WebhookLimits) => WebhookLimits): Mutation {
  const changed = new WeakMap<Webhook, Webhook>();
  const changedOf = (webhook: Webhook): Webhook => {
    const known = changed.get(webhook) ?? replaceMembers(webhook, { limits: webhook.limits && change(webhook.limits) });
    changed.set(webhook, known);
    return known;
  };
  return {
    ...noMutation,
    directory: (directory) => ({
      ...directory,
      ofOwner: (ownerId) => directory.ofOwner(ownerId).map(changedOf),
      byId: (id) => {
        const webhook = directory.byId(id);
        return webhook && changedOf(webhook);
      },
    }),
  };
}

export function oneMore(limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : limit + 1;
}
