import type { Random } from '../random.ts';
import type { Action } from './scenario.ts';
import { webhookIds } from './subscribers.ts';

/** The earliest time of a fault. The processes have read and remembered the configurations by then. */
const earliestMs = 10_000;
/** Longest time in ms that a deleted topic is away, until its refill ends. */
const longestMs = 20_000;

/**
 * Generates what happens to the configurations topic as a whole. It gets a partition, or it is deleted and created again.
 * The platform then fills it. Sometimes the platform has lost some webhooks, and somebody confirms that.
 */
export function generateConfigurationsTopicFaults(
  random: Random,
  configurations: readonly Action[],
  faultsEndAtMs: number,
): readonly Action[] {
  const actions: Action[] = [];
  if (random.chance(0.4)) actions.push(...grow(random, configurations, faultsEndAtMs));
  if (random.chance(0.5)) actions.push(...disturb(random, faultsEndAtMs));
  const latestMs = faultsEndAtMs - longestMs;
  if (latestMs > earliestMs && random.chance(0.4)) {
    actions.push(...recreate(random, random.between(earliestMs, latestMs)));
    // Somebody looks at the readiness of processes that started in the meantime.
    actions.push({ kind: 'accept_configurations', atMs: faultsEndAtMs });
  }
  return actions;
}

/** Adds a partition. A process that starts later reads old versions in one partition and newer ones in the other. */
function grow(random: Random, configurations: readonly Action[], faultsEndAtMs: number): readonly Action[] {
  const early = configurations.filter(({ atMs }) => atMs > 500 && atMs < faultsEndAtMs / 2);
  // Often right before a configuration, which may be in the new partition.
  const changed = random.chance(0.7) ? early[random.between(0, early.length - 1)] : undefined;
  const atMs = changed === undefined ? random.between(0, faultsEndAtMs / 4) : changed.atMs - random.between(10, 400);
  const restartAtMs = random.between(faultsEndAtMs / 2, faultsEndAtMs - 2_000);
  return [
    { kind: 'grow_configurations', atMs },
    { kind: 'start', atMs: restartAtMs },
    { kind: 'stop', atMs: restartAtMs + 1_000, which: 0 },
  ];
}

/** Opens transactions in a partition, or lets its broker answer without records, for some time each. */
function disturb(random: Random, faultsEndAtMs: number): readonly Action[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    const atMs = random.between(0, faultsEndAtMs);
    const untilMs = Math.min(atMs + random.between(100, 15_000), faultsEndAtMs);
    const how = random.pick(['open_transaction', 'withhold'] as const);
    const partition = random.between(0, 1);
    const kind = 'disturb_configurations';
    return [{ kind, atMs, how, partition } as const, { kind, atMs: untilMs, how: 'end', partition } as const];
  }).flat();
}

function recreate(random: Random, deletedAtMs: number): readonly Action[] {
  // A process looks at the topic at least every 5 s, or plans nothing. So each of them notices.
  const createdAtMs = deletedAtMs + random.between(6_000, 9_000);
  const dropped = random.chance(0.3) ? webhookIds.filter(() => random.chance(0.7)) : [];
  // Often slower than a process that looks for the topic every 5 s.
  const everyMs = random.between(20, 2_500);
  const refilled = webhookIds.filter((webhookId) => !dropped.includes(webhookId));
  const refill = refilled.map((webhookId, index): Action => {
    return { kind: 'refill_configurations', atMs: createdAtMs + index * everyMs, webhookId };
  });
  return [
    { kind: 'delete_configurations', atMs: deletedAtMs },
    { kind: 'create_configurations', atMs: createdAtMs, partitions: random.between(1, 2), dropped },
    ...refill,
    { kind: 'accept_configurations', atMs: createdAtMs + refilled.length * everyMs },
  ];
}
