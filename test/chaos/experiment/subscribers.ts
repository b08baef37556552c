import { aConfiguration, type Document } from '../../support/builders.ts';

/** The owners of certificates and their webhooks. Every fourth owner has two webhooks. */
export interface Subscribers {
  readonly owners: readonly string[];
  readonly webhooksByOwner: ReadonlyMap<string, readonly string[]>;
  readonly webhooks: readonly SubscriberWebhook[];
}

interface SubscriberWebhook {
  readonly id: string;
  readonly ownerId: string;
}

export function createSubscribers(ownerCount: number): Subscribers {
  const owners = Array.from({ length: ownerCount }, (_, index) => `owner-${index}`);
  const webhooksByOwner = new Map(
    owners.map((owner, index) => [
      owner,
      (index % 4 === 0 ? ['a', 'b'] : ['a']).map((letter) => `hook-${index}-${letter}`),
    ]),
  );
  const webhooks = [...webhooksByOwner].flatMap(([ownerId, ids]) => ids.map((id) => ({ id, ownerId })));
  return { owners, webhooksByOwner, webhooks };
}

/**
 * Every tenth webhook has an endpoint that refuses each delivery once, so that retries are in flight during a fault.
 */
export const someEndpointsFailFirst = {
  endpoints: ['healthy', 'fail_first'],
  endpointOf: (webhookIndex: number): number => (webhookIndex % 10 === 9 ? 1 : 0),
} as const;

export function configurationOf({ id, ownerId }: SubscriberWebhook, url: string): Document {
  return aConfiguration({ _id: id, _ownerId: ownerId, url });
}
