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
  const acceptedOf = (id: string): number => accepted.get(id)?.length ?? 0;
  const attemptedOf = (id: string): number =>
    (told.get(id) ?? []).filter(({ type }) => type === 'delivery.attempted').length;
  const isRight = (id: string, { state, attempts, progress }: ExplainedDelivery): boolean => {
    const [requests, attempted] = [acceptedOf(id), attemptedOf(id)];
    const delivered = attempts.filter(({ outcome }) => outcome === 'delivered').length;
    const isOver = state === 'delivered' ? requests > 0 : state === 'dead_lettered' && dead.has(id);
    return isOver && progress.state === 'settled' && attempts.length >= attempted && delivered <= requests;
  };
  const expected = new Set(expectedDeliveries(evidence).map(({ deliveryId }) => deliveryId));
  return [...expected.union(new Set(answers.keys()))].flatMap((id) => {
    const answer = answers.get(id);
    return answer !== undefined && expected.has(id) && isRight(id, answer)
      ? []
      : [`explain says ${textOf(answer)} of ${id}, accepted ${acceptedOf(id)} times, with ${attemptedOf(id)} results`];
  });
}

function textOf(answer: ExplainedDelivery | undefined): string {
  return answer === undefined ? 'nothing' : `${answer.state} after ${answer.attempts.length} attempts`;
}
