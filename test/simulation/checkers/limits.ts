import { subjectOf } from '../environment/recording.ts';
import { type RunFacts, placeOf } from './run-facts.ts';
import type { Violation } from './violation.ts';

/**
 * So often an overloaded endpoint that works may put a delivery off between two attempts. The tiers of a scenario are few and
 * short, so that the way to a slot takes more of them than the service promises for those that it comes with.
 */
const mostSlots = 60;
const slotReasons: ReadonlySet<string> = new Set(['overloaded', 'not_due', 'draining']);

/** I4: between two attempts a delivery is written to each tier once, then once per longest delay; and limits hold. */
export function checkLimits(facts: RunFacts): readonly Violation[] {
  return [...checkWrites(facts), ...checkHeldRecords(facts)];
}

function checkWrites(facts: RunFacts): readonly Violation[] {
  const { tiersMs } = facts.run.scenario.settings;
  const longestMs = Math.max(...tiersMs);
  const retries = [...facts.inputs.values()].filter((input) => input.kind === 'retry');
  const chains = Map.groupBy(retries, nameOf);
  const copies = countCopies(facts);
  const slots = countSlots(facts);
  return [...chains].flatMap(([name, writes]) => {
    const times = writes.map(({ index }) => facts.entries[index]?.at ?? 0);
    const lastedMs = Math.max(...times) - Math.min(...times);
    const toSlots = Math.min(slots.get(name) ?? 0, mostSlots);
    const most = tiersMs.length + toSlots + Math.ceil(lastedMs / longestMs);
    const allowed = most * (1 + (copies.get(writes[0]?.deliveryId ?? '') ?? 0));
    if (writes.length <= allowed) return [];
    const tiers = writes.map(({ topic }) => topic).join(', ');
    const problem = `${name} was written ${writes.length} times, ${allowed} at most: ${tiers}`;
    return [{ invariant: 'I4' as const, problem, at: times.at(-1) ?? 0 }];
  });
}

function nameOf({ deliveryId, attempt }: { readonly deliveryId: string; readonly attempt: number }): string {
  return `${deliveryId} after attempt ${attempt}`;
}

/** How often each was on its way to a slot, or was handed over by a process that went away. */
function countSlots({ entries }: RunFacts): ReadonlyMap<string, number> {
  const ways = entries.filter((entry) => entry.kind === 'deferred').filter(({ reason }) => slotReasons.has(reason));
  return new Map([...Map.groupBy(ways, nameOf)].map(([name, all]) => [name, all.length]));
}

/** By delivery how many copies there may be: one for each write that was not heard of, and each record read again. */
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
    const place = placeOf(entry);
    if (read.has(place)) for (const deliveryId of facts.deliveriesOf(place)) add(deliveryId, 1);
    read.add(place);
  }
  return copies;
}

/** However many partitions share the limit, each gets one record in. */
function checkHeldRecords({ entries, run }: RunFacts): readonly Violation[] {
  const { tierPartitions, tiersMs } = run.scenario.settings;
  const oneEach = tierPartitions * tiersMs.length;
  return entries.flatMap((entry) => {
    if (entry.kind !== 'held' || entry.count <= entry.limit + oneEach) return [];
    const { instance, what, count, limit, at } = entry;
    return [{ invariant: 'I4' as const, problem: `${instance} holds ${count} ${what}, ${limit} at most`, at }];
  });
}
