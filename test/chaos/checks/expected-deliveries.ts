import { deliveryIdOf, type Evidence, type SourceSeen } from '../evidence/evidence.ts';

export interface ExpectedDelivery {
  readonly deliveryId: string;
  readonly record: SourceSeen;
}

/** What has to come of the records: each for every webhook of its owner. */
export function expectedDeliveries({ records, webhooksByOwner }: Evidence): readonly ExpectedDelivery[] {
  return records.flatMap((record) =>
    (webhooksByOwner.get(record.ownerId) ?? []).map((id) => ({ deliveryId: deliveryIdOf(record, id), record })),
  );
}

/** When the endpoint accepted each delivery, first time first. */
export function acceptances({ requests }: Evidence): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { deliveryId, accepted, at } of requests) {
    if (!accepted) continue;
    const known = times.get(deliveryId);
    if (known === undefined) times.set(deliveryId, [at]);
    else known.push(at);
  }
  return times;
}
