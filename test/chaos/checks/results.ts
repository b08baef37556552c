import type { Evidence } from '../evidence/evidence.ts';
import { acceptances, expectedDeliveries } from './expected-deliveries.ts';

/**
 * Returns how the results topic differs from what the endpoints received, and from what the instances have counted.
 *
 * An instance that loses its partitions while the topic refuses writes drops the results of what it did not settle. So a
 * disruption may leave fewer records than attempts. A process that was killed has counted attempts that nobody knows.
 */
export function findWrongResults(evidence: Evidence): readonly string[] {
  const attempts = evidence.results.filter(({ type }) => type === 'delivery.attempted');
  return [...findUntold(evidence, attempts), ...findMiscounted(evidence, attempts)];
}

/** Finds accepted deliveries that the topic does not tell of, and told ones that no endpoint has received. */
function findUntold(evidence: Evidence, attempts: Evidence['results']): readonly string[] {
  const accepted = acceptances(evidence);
  const dead = new Set(
    evidence.published.filter((one) => one.deadLetterReason !== undefined).map((one) => one.deliveryId),
  );
  const delivered = new Set(
    attempts.filter(({ outcome }) => outcome === 'delivered').map(({ deliveryId }) => deliveryId),
  );
  const ids = expectedDeliveries(evidence).map(({ deliveryId }) => deliveryId);
  const untold = ids.filter((id) => accepted.has(id) && !dead.has(id) && !delivered.has(id));
  const invented = [...delivered].filter((id) => !accepted.has(id));
  return [
    ...untold.map((id) => `no result tells that it was delivered: ${id}`),
    ...invented.map((id) => `a result tells that it was delivered: ${id}`),
  ];
}

/** Compares the attempts in the topic with those in the metrics, by outcome. */
function findMiscounted(evidence: Evidence, attempts: Evidence['results']): readonly string[] {
  const { attemptsCounted, disruptions } = evidence;
  if (attemptsCounted === undefined) return [];
  const told = Map.groupBy(attempts, ({ outcome = '' }) => outcome);
  return [...new Set([...told.keys(), ...attemptsCounted.keys()])].flatMap((outcome) => {
    const results = told.get(outcome) ?? [];
    const [inTopic, counted] = [results.length, attemptsCounted.get(outcome) ?? 0];
    const most = disruptions.length > 0 ? counted : inTopic + countTwins(evidence, results);
    return inTopic <= counted && counted <= most
      ? []
      : [`${inTopic} results with the outcome ${outcome}, and ${counted} in the metrics`];
  });
}

/** Counts the attempts that may hide behind results of the same text: no more than there are copies, and further requests. */
function countTwins({ requests }: Evidence, results: Evidence['results']): number {
  const byDelivery = Map.groupBy(results, ({ deliveryId }) => deliveryId);
  return [...byDelivery].reduce((sum, [deliveryId, ofDelivery]) => {
    const copies = ofDelivery.reduce((count, { written }) => count + written - 1, 0);
    if (copies === 0) return sum;
    const received = requests.filter(
      (one) => one.deliveryId === deliveryId && one.accepted === isDelivered(ofDelivery),
    );
    return sum + Math.min(copies, Math.max(0, received.length - ofDelivery.length));
  }, 0);
}

function isDelivered([result]: Evidence['results']): boolean {
  return result?.outcome === 'delivered';
}
