import { webhookIdOf, type Evidence } from '../evidence/evidence.ts';
import { expectedDeliveries, type ExpectedDelivery } from './expected-deliveries.ts';

/**
 * The longest time without a request for any record of a partition that had deliveries to make, in milliseconds. Those to
 * the sick do not count: they wait for their endpoints.
 */
export function longestStallMs(evidence: Evidence, sick: ReadonlySet<string>): number {
  const expected = expectedDeliveries(evidence).filter(({ deliveryId }) => !sick.has(webhookIdOf(deliveryId)));
  const partitions = new Map(expected.map(({ deliveryId, record }) => [deliveryId, record.partition]));
  const requests = Map.groupBy(evidence.requests, ({ deliveryId }) => partitions.get(deliveryId));
  const acknowledgedAt = acknowledgements(evidence);
  const stalls = [...Map.groupBy(expected, ({ record }) => record.partition)].map(([partition, deliveries]) =>
    longestSilenceMs(timeline(deliveries, requests.get(partition) ?? [], acknowledgedAt)),
  );
  return stalls.reduce((longest, one) => Math.max(longest, one), 0);
}

interface Moment {
  readonly at: number;
  readonly kind: 'written' | 'first_request' | 'further_request';
}

function longestSilenceMs(moments: readonly Moment[]): number {
  let waiting = 0;
  let silentSince = 0;
  let longest = 0;
  for (const { at, kind } of moments) {
    if (waiting > 0) longest = Math.max(longest, at - silentSince);
    // Whoever has nothing to do is silent from the moment on at which there is something.
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
): readonly Moment[] {
  const firstAt = new Map<string, number>();
  const requested = requests.map(({ deliveryId, at }): Moment => {
    const isFirst = !firstAt.has(deliveryId);
    if (isFirst) firstAt.set(deliveryId, at);
    return { at, kind: isFirst ? 'first_request' : 'further_request' };
  });
  const written = deliveries.map(({ deliveryId, record }): Moment => {
    const at = acknowledgedAt.get(`${record.partition}/${record.offset}`) ?? record.at;
    // A request may be quicker than the acknowledgement.
    return { at: Math.min(at, firstAt.get(deliveryId) ?? Infinity), kind: 'written' };
  });
  return [...written, ...requested].toSorted((one, other) => one.at - other.at);
}

function acknowledgements({ acknowledged }: Evidence): ReadonlyMap<string, number> {
  return new Map(acknowledged.map(({ partition, offset, at }) => [`${partition}/${offset}`, at]));
}
