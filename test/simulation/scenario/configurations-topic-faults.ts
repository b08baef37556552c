import type { Random } from '../random.ts';
import type { Action } from './scenario.ts';
import { webhookIds } from './subscribers.ts';

/** The earliest time of a fault. The processes have read and remembered the configurations by then. */
const earliestMs = 10_000;
/** Time in ms that is left for a deleted topic to be away, and filled again. */
const shortestMs = 12_000;
/** Longest time in ms between two webhooks of a refill. Processes join their group in it, and take over partitions. */
const longestPauseMs = 6_000;

/**
 * Generates what happens to the configurations topic as a whole. It gets a partition, or it is deleted and created again.
 * The platform then fills it. Sometimes the platform has lost some webhooks, and somebody confirms that.
 */
export function generateConfigurationsTopicFaults(
  random: Random,
  { configurations, faultsEndAtMs, isGraceful }: TopicFaultOptions,
): readonly Action[] {
  const actions: Action[] = [];
  if (random.chance(0.4)) actions.push(...grow(random, configurations, faultsEndAtMs));
  if (random.chance(0.5)) actions.push(...disturb(random, faultsEndAtMs));
  const latestMs = faultsEndAtMs - shortestMs;
  if (latestMs > earliestMs && random.chance(0.4)) {
    actions.push(...recreate(random, random.between(earliestMs, latestMs), { faultsEndAtMs, isGraceful }));
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

function recreate(
  random: Random,
  deletedAtMs: number,
  { faultsEndAtMs, isGraceful }: Omit<TopicFaultOptions, 'configurations'>,
): readonly Action[] {
  // A process looks at the topic at least every 5 s, or plans nothing. So each of them notices.
  const createdAtMs = deletedAtMs + random.between(6_000, 9_000);
  const dropped = random.chance(0.3) ? webhookIds.filter(() => random.chance(0.7)) : [];
  const longestMs = Math.floor((faultsEndAtMs - createdAtMs) / webhookIds.length);
  const slowestMs = Math.min(longestPauseMs, longestMs);
  const everyMs = random.between(random.chance(0.3) ? 20 : Math.floor(slowestMs / 2), slowestMs);
  const refilled = webhookIds.filter((webhookId) => !dropped.includes(webhookId));
  const refill = refilled.map((webhookId, index): Action => {
    return { kind: 'refill_configurations', atMs: createdAtMs + index * everyMs, webhookId };
  });
  const filledAtMs = createdAtMs + refilled.length * everyMs;
  // Without it, running processes go on once nothing is missing, and those that start follow them.
  const isAccepted = dropped.length > 0 || random.chance(0.5);
  return [
    { kind: 'delete_configurations', atMs: deletedAtMs },
    { kind: 'create_configurations', atMs: createdAtMs, partitions: random.between(1, 2), dropped },
    ...refill,
    ...changeProcesses(random, {
      fromMs: random.chance(0.2) ? deletedAtMs : createdAtMs,
      toMs: filledAtMs,
      isGraceful,
    }),
    ...(isAccepted ? [{ kind: 'accept_configurations', atMs: filledAtMs } as const] : []),
  ];
}

interface Refill {
  readonly fromMs: number;
  readonly toMs: number;
  readonly isGraceful: boolean;
}

/** Draws a crash, a scale-out or a roll-out in the middle of a refill. */
function changeProcesses(random: Random, { fromMs, toMs, isGraceful }: Refill): readonly Action[] {
  // In the first half, because a process needs seconds to join its group and to take over partitions.
  const atMs = random.between(fromMs, Math.floor((fromMs + toMs) / 2));
  const start: Action = { kind: 'start', atMs };
  const stop: Action = { kind: 'stop', atMs, which: 0 };
  const end: Action = isGraceful || random.chance(0.5) ? stop : { ...stop, kind: 'kill' };
  const rollOut = [0, 1].flatMap((which): readonly Action[] => [
    { kind: 'start', atMs: atMs + which * 1_000 },
    { kind: 'stop', atMs: atMs + which * 1_000 + 500, which: 0 },
  ]);
  return random.weighted<readonly Action[]>([
    [[], 1],
    [[start], 2],
    [[end, { kind: 'start', atMs: atMs + 500 }], 2],
    [rollOut, 2],
    // All of them end, so that nobody knows the last state.
    [[end, end, end, { kind: 'start', atMs: atMs + 500 }], 3],
  ]);
}

interface TopicFaultOptions {
  readonly configurations: readonly Action[];
  readonly faultsEndAtMs: number;
  readonly isGraceful: boolean;
}
