import { partitionOf, type Subscription } from '../situation.ts';

/** Creates owners with one webhook each. `groupsOf` names the groups of the owner with this number. */
export function ownersWithOneWebhook(
  count: number,
  groupsOf: (number: number, ownerId: string) => readonly string[],
): readonly Subscription[] {
  return Array.from({ length: count }, (_, number) => {
    const ownerId = `owner-${number}`;
    return { webhookId: `hook-${number}`, ownerId, groups: groupsOf(number, ownerId) };
  });
}

export function ownerIdsOf(subscriptions: readonly Subscription[]): readonly string[] {
  return subscriptions.map(({ ownerId }) => ownerId);
}

/** Returns a check whether the certificates of an owner share the partition of this one. */
export function isInPartitionOf(ownerId: string): (other: string) => boolean {
  const partition = partitionOf(ownerId);
  return (other) => partitionOf(other) === partition;
}

export function inGroup(subscriptions: readonly Subscription[], group: string): ReadonlySet<string> {
  return new Set(subscriptions.filter(({ groups }) => groups.includes(group)).map(({ webhookId }) => webhookId));
}
