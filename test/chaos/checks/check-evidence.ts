import { findInvalidCommits } from './commits.ts';
import { checkCompleteness } from './completeness.ts';
import { webhookIdOf, type Evidence } from '../evidence/evidence.ts';
import { longestStallMs } from './stall.ts';
import { findDuplicates } from './duplicates.ts';
import { findWrongResults } from './results.ts';
import { findWrongExplanations } from './explanations.ts';

export interface CheckResult {
  readonly records: number;
  readonly deliveries: number;
  readonly missing: number;
  readonly deadLettered: number;
  readonly repeated: number;
  readonly allowedToRepeat: number;
  readonly longestStallMs: number;
  /** The number of observed commits. */
  readonly commits: number;
  /** The broken guarantees in words. Empty if all were kept. */
  readonly violations: readonly string[];
}

export interface Expectation {
  /** Webhooks with failing endpoints. Their deliveries may wait and may be dead-lettered. */
  readonly failingWebhooks?: ReadonlySet<string>;
  /** True if brokers may lose the acknowledgement of a retry, which is then written again. */
  readonly copiesAllowed?: boolean;
  /** The longest allowed stall of a partition, without failing webhooks. Unlimited by default. */
  readonly maxStallMs?: number;
}

/**
 * Checks the evidence of one fault against `docs/guarantees.md`. It is a pure function.
 *
 * - Completeness: every delivery was accepted, or dead-lettered if its endpoint fails.
 * - Commits: no commit went back or passed an unsettled delivery.
 * - Duplicates: only deliveries that a disruption could affect were repeated.
 * - Results: the topic tells of every accepted delivery, and counts as many attempts as the metrics.
 * - Explanations: `explain` says of each delivery what the endpoints received and the topics hold.
 * - Stalls: no partition was without requests for too long.
 * - The experiment itself: records were written, commits were observed, and Kafka lost nothing.
 */
export function checkEvidence(
  evidence: Evidence,
  { failingWebhooks = new Set(), maxStallMs = Infinity, copiesAllowed = false }: Expectation = {},
): CheckResult {
  const { missing, deadLettered, unexpected, lostByKafka } = checkCompleteness(evidence);
  const { repeated, allowed, committed, inFlight } = findDuplicates(evidence, copiesAllowed);
  const stallMs = longestStallMs(evidence, failingWebhooks);
  const { length: records } = evidence.records;
  return {
    records,
    deliveries: evidence.records.reduce((sum, one) => sum + webhooksOf(evidence, one.ownerId), 0),
    missing: missing.length,
    deadLettered: deadLettered.length,
    repeated,
    allowedToRepeat: allowed,
    longestStallMs: stallMs,
    commits: evidence.commits.length,
    violations: [
      ...firstFew('never delivered', missing),
      ...firstFew(
        'dead-lettered',
        deadLettered.filter((id) => !failingWebhooks.has(webhookIdOf(id))),
      ),
      ...firstFew('unexpected request', unexpected),
      ...firstFew('lost by Kafka', lostByKafka),
      ...firstFew('', findInvalidCommits(evidence)),
      ...firstFew('', findWrongResults(evidence)),
      ...firstFew('', findWrongExplanations(evidence)),
      ...(committed > inFlight
        ? [`${committed} deliveries were repeated although committed, and at most ${inFlight} were in flight`]
        : []),
      ...(stallMs > maxStallMs ? [`a partition stalled for ${stallMs} ms`] : []),
      ...(records === 0 ? ['nothing was written'] : []),
      ...(evidence.commits.length === 0 ? ['no commit was observed'] : []),
    ],
  };
}

const maxListed = 5;

/** Returns the first few findings and the number of others. */
function firstFew(label: string, found: readonly string[]): readonly string[] {
  const more = found.length > maxListed ? [`and ${found.length - maxListed} more: ${label}`] : [];
  return [...found.slice(0, maxListed).map((one) => `${label} ${one}`.trim()), ...more];
}

function webhooksOf({ webhooksByOwner }: Evidence, ownerId: string): number {
  return webhooksByOwner.get(ownerId)?.length ?? 0;
}
