import { brokenCommits } from './commits.ts';
import { completeness } from './completeness.ts';
import { webhookIdOf, type Evidence } from '../evidence/evidence.ts';
import { longestStallMs } from './stall.ts';
import { repetitions } from './duplicates.ts';

export interface Verdict {
  readonly records: number;
  readonly deliveries: number;
  readonly missing: number;
  readonly deadLettered: number;
  readonly repeated: number;
  readonly allowedToRepeat: number;
  readonly longestStallMs: number;
  /** Looks at the commits that brought something new. */
  readonly commits: number;
  /** What breaks a promise, in words; a verdict without any is good. */
  readonly violations: readonly string[];
}

export interface Expectation {
  /** Webhooks whose endpoints are ill: their deliveries may wait, and may end as dead letters. */
  readonly sick?: ReadonlySet<string>;
  /** Brokers may lose the acknowledgement of a retry, which is written once more then. */
  readonly copiesAllowed?: boolean;
  /** Of any partition, for the healthy; unlimited when left out. */
  readonly stallAtMostMs?: number;
}

export function judge(
  evidence: Evidence,
  { sick = new Set(), stallAtMostMs = Infinity, copiesAllowed = false }: Expectation = {},
): Verdict {
  const { missing, deadLettered, foreign, vanished } = completeness(evidence);
  const { repeated, allowed, committed, inFlight } = repetitions(evidence, copiesAllowed);
  const stallMs = longestStallMs(evidence, sick);
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
      ...some('never delivered', missing),
      ...some(
        'buried',
        deadLettered.filter((id) => !sick.has(webhookIdOf(id))),
      ),
      ...some('nobody asked for', foreign),
      ...some('lost by Kafka', vanished),
      ...some('', brokenCommits(evidence)),
      ...(committed > inFlight
        ? [`${committed} deliveries were repeated although committed, and ${inFlight} were in flight at most`]
        : []),
      ...(stallMs > stallAtMostMs ? [`a partition stood still for ${stallMs} ms`] : []),
      ...(records === 0 ? ['nothing was written'] : []),
      ...(evidence.commits.length === 0 ? ['no commit was seen'] : []),
    ],
  };
}

const shown = 5;

/** The first few, and how many there are. */
function some(what: string, found: readonly string[]): readonly string[] {
  const more = found.length > shown ? [`and ${found.length - shown} more: ${what}`] : [];
  return [...found.slice(0, shown).map((one) => `${what} ${one}`.trim()), ...more];
}

function webhooksOf({ webhooksByOwner }: Evidence, ownerId: string): number {
  return webhooksByOwner.get(ownerId)?.length ?? 0;
}
