import type { RecordAnswer, WebhookAnswer } from '../../../src/cli/explain/answers.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { acceptances, expectedDeliveries } from './expected-deliveries.ts';

type ExplainedDelivery = WebhookAnswer & Pick<RecordAnswer, 'progress'>;

/**
 * Returns where the answers of `explain` differ from what the endpoints received and from what the topics hold. At the end of an
 * experiment everything is settled, and each delivery was accepted or has a dead letter.
 */
export function findWrongExplanations(evidence: Evidence): readonly string[] {
  const { explanations, published, results } = evidence;
  if (explanations === undefined) return [];
  const accepted = acceptances(evidence);
  const dead = new Set(published.filter((one) => one.deadLetterReason !== undefined).map((one) => one.deliveryId));
  const told = Map.groupBy(results, ({ deliveryId }) => deliveryId);
  const answers = new Map(
    explanations.flatMap(({ place, progress, webhooks }) =>
      webhooks.map((one): [string, ExplainedDelivery] => [`${place}/${one.configurationId}`, { ...one, progress }]),
    ),
  );
  const isRight = (id: string, { state, attempts, progress }: ExplainedDelivery): boolean => {
    const requests = accepted.get(id)?.length ?? 0;
    const attempted = (told.get(id) ?? []).filter(({ type }) => type === 'delivery.attempted').length;
    const delivered = attempts.filter(({ outcome }) => outcome === 'delivered').length;
    const isOver = state === 'delivered' ? requests > 0 : state === 'dead_lettered' && dead.has(id);
    return isOver && progress.state === 'settled' && attempts.length >= attempted && delivered <= requests;
  };
  const expected = new Set(expectedDeliveries(evidence).map(({ deliveryId }) => deliveryId));
  return [...expected.union(new Set(answers.keys()))].flatMap((id) => {
    const answer = answers.get(id);
    return answer !== undefined && expected.has(id) && isRight(id, answer)
      ? []
      : [`explain says ${answer?.state ?? 'nothing'} of ${id}, accepted ${accepted.get(id)?.length ?? 0} times`];
  });
}
