import { webhookIdOf, type Evidence } from '../evidence/evidence.ts';
import { expectedDeliveries, type ExpectedDelivery } from './expected-deliveries.ts';

/**
 * Returns the longest time without a request for a partition that had deliveries to make, in milliseconds. Deliveries
 * to failing webhooks do not count, because they wait for their endpoints.
 */
export function longestStallMs(evidence: Evidence, failingWebhooks: ReadonlySet<string>): number {
  const expected = expectedDeliveries(evidence).filter(
    ({ deliveryId }) => !failingWebhooks.has(webhookIdOf(deliveryId)),
  );
  const partitions = new Map(expected.map(({ deliveryId, record }) => [deliveryId, record.partition]));
  const requests = Map.groupBy(evidence.requests, ({ deliveryId }) => partitions.get(deliveryId));
  const acknowledgedAt = acknowledgements(evidence);
  const stalls = [...Map.groupBy(expected, ({ record }) => record.partition)].map(([partition, deliveries]) =>
    longestSilenceMs(timeline(deliveries, requests.get(partition) ?? [], acknowledgedAt)),
  );
  return stalls.reduce((longest, one) => Math.max(longest, one), 0);
}

interface TimelineEvent {
  readonly at: number;
  readonly kind: 'written' | 'first_request' | 'further_request';
}

function longestSilenceMs(events: readonly TimelineEvent[]): number {
  let waiting = 0;
  let silentSince = 0;
  let longest = 0;
  for (const { at, kind } of events) {
    if (waiting > 0) longest = Math.max(longest, at - silentSince);
    // Silence begins with the first waiting delivery, not before it.
    if (kind !== 'written' || waiting === 0) silentSince = at;
    if (kind === 'written') waiting += 1;
    else if (kind === 'first_request') waiting -= 1;
  }
  return longest;
}

function timeline(
  deliveries: readonly ExpectedDelivery[],
  requests: Evidence['requests'],
  acknowledgedAt: ReadonlyMap<string, number>,
): readonly TimelineEvent[] {
  const firstAt = new Map<string, number>();
  const requested = requests.map(({ deliveryId, at }): TimelineEvent => {
    const isFirst = !firstAt.has(deliveryId);
    if (isFirst) firstAt.set(deliveryId, at);
    return { at, kind: isFirst ? 'first_request' : 'further_request' };
  });
  const written = deliveries.map(({ deliveryId, record }): TimelineEvent => {
    const at = acknowledgedAt.get(`${record.partition}/${record.offset}`) ?? record.at;
    // A request may arrive before the acknowledgement of its record.
    return { at: Math.min(at, firstAt.get(deliveryId) ?? Infinity), kind: 'written' };
  });
  return [...written, ...requested].toSorted((one, other) => one.at - other.at);
}

function acknowledgements({ acknowledged }: Evidence): ReadonlyMap<string, number> {
  return new Map(acknowledged.map(({ partition, offset, at }) => [`${partition}/${offset}`, at]));
}
