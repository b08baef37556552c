import { aConfiguration, type Document } from '../../support/builders.ts';

/** Who gets certificates: owners, every fourth with two webhooks. */
export interface Cast {
  readonly owners: readonly string[];
  readonly webhooksByOwner: ReadonlyMap<string, readonly string[]>;
  readonly webhooks: readonly CastWebhook[];
}

interface CastWebhook {
  readonly id: string;
  readonly ownerId: string;
}

export function castOf(ownerCount: number): Cast {
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

/** For faults that are to find retries under way as well: every tenth endpoint refuses each delivery once. */
export const someFail = {
  doors: ['healthy', 'fail_first'],
  doorOf: (webhookIndex: number): number => (webhookIndex % 10 === 9 ? 1 : 0),
} as const;

export function configurationOf({ id, ownerId }: CastWebhook, url: string): Document {
  return aConfiguration({ _id: id, _ownerId: ownerId, url });
}
