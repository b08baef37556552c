import { deliveryIdOf, type Evidence, type ProducedRecord } from '../evidence/evidence.ts';

export interface ExpectedDelivery {
  readonly deliveryId: string;
  readonly record: ProducedRecord;
}

/** Returns the deliveries that the records require: one for each webhook of the record's owner. */
export function expectedDeliveries({ records, webhooksByOwner }: Evidence): readonly ExpectedDelivery[] {
  return records.flatMap((record) =>
    (webhooksByOwner.get(record.ownerId) ?? []).map((id) => ({ deliveryId: deliveryIdOf(record, id), record })),
  );
}

/** Returns the times at which the endpoint accepted each delivery, the earliest first. */
export function acceptances({ requests }: Evidence): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { deliveryId, accepted, at } of requests) {
    if (!accepted) continue;
    const existing = times.get(deliveryId);
    if (existing === undefined) times.set(deliveryId, [at]);
    else existing.push(at);
  }
  return times;
}
