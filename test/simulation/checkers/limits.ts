import { subjectOf } from '../environment/recording.ts';
import { type RunFacts, positionOf } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * The most deferrals of a delivery between two attempts while a working endpoint is overloaded. Scenarios have few and
 * short tiers, so a delivery passes more of them than with the default tiers.
 */
const maxDeferrals = 60;
const deferralReasons: ReadonlySet<string> = new Set(['overloaded', 'not_due', 'draining']);

/**
 * Checks I4: limits hold. Between two attempts a delivery is written once to each tier, and then once per longest delay. A
 * clock that is set forward adds one. No process holds more records than its limit allows.
 */
export function checkLimits(facts: RunFacts): readonly Violation[] {
  return [...checkWrites(facts), ...checkHeldRecords(facts)];
}

function checkWrites(facts: RunFacts): readonly Violation[] {
  const { settings, actions } = facts.run.scenario;
  const { tiersMs } = settings;
  const longestMs = Math.max(...tiersMs);
  // Each makes all deliveries due that are in a tier then.
  const clockJumps = actions.filter((action) => action.kind === 'set_clock' && action.ms > 0).length;
  const retries = [...facts.inputs.values()].filter((input) => input.kind === 'retry');
  const chains = Map.groupBy(retries, nameOf);
  const copies = countCopies(facts);
  const deferrals = countDeferrals(facts);
  return [...chains].flatMap(([name, writes]) => {
    const times = writes.map(({ index }) => facts.entries[index]?.at ?? 0);
    const lastedMs = Math.max(...times) - Math.min(...times);
    const allowedDeferrals = Math.min(deferrals.get(name) ?? 0, maxDeferrals);
    const allowedOnce = tiersMs.length + allowedDeferrals + clockJumps + Math.ceil(lastedMs / longestMs);
    const allowed = allowedOnce * (1 + (copies.get(writes[0]?.deliveryId ?? '') ?? 0));
    if (writes.length <= allowed) return [];
    const tiers = writes.map(({ topic }) => topic).join(', ');
    const problem = `${name} was written ${writes.length} times, ${allowed} at most: ${tiers}`;
    return [{ invariant: 'I4' as const, problem, at: times.at(-1) ?? 0 }];
  });
}

function nameOf({ deliveryId, attempt }: { readonly deliveryId: string; readonly attempt: number }): string {
  return `${deliveryId} after attempt ${attempt}`;
}

/** Counts the deferrals of each delivery to its estimated free time, and those by a process that was stopping. */
function countDeferrals({ entries }: RunFacts): ReadonlyMap<string, number> {
  const counted = entries
    .filter((entry) => entry.kind === 'deferred')
    .filter(({ reason }) => deferralReasons.has(reason));
  return new Map([...Map.groupBy(counted, nameOf)].map(([name, all]) => [name, all.length]));
}

/** Counts the allowed copies of each delivery: one per unacknowledged write, and one per record that was read again. */
function countCopies(facts: RunFacts): ReadonlyMap<string, number> {
  const copies = new Map<string, number>();
  const add = (deliveryId: string | undefined, more: number): void => {
    if (deliveryId !== undefined) copies.set(deliveryId, (copies.get(deliveryId) ?? 0) + more);
  };
  const read = new Set<string>();
  for (const entry of facts.entries) {
    if (entry.kind === 'appended') add(subjectOf(entry.record.headers).deliveryId, 1);
    if (entry.kind === 'acknowledged') add(entry.subject.deliveryId, -1);
    if (entry.kind !== 'consumed') continue;
    const position = positionOf(entry);
    if (read.has(position)) for (const deliveryId of facts.deliveriesOf(position)) add(deliveryId, 1);
    read.add(position);
  }
  return copies;
}

/** Each partition may hold one record even when the limit that they share is reached. */
function checkHeldRecords({ entries, run }: RunFacts): readonly Violation[] {
  const { tierPartitions, tiersMs } = run.scenario.settings;
  const oneEach = tierPartitions * tiersMs.length;
  return entries.flatMap((entry) => {
    if (entry.kind !== 'held' || entry.count <= entry.limit + oneEach) return [];
    const { instance, pool, count, limit, at } = entry;
    return [
      {
        invariant: 'I4' as const,
        problem: `${instance} holds ${count} records of the ${pool} pool, ${limit} at most`,
        at,
      },
    ];
  });
}
