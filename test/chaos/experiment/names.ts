import type { GroupTopic } from '../../support/kafka/lag.ts';

export const partitions = 6;
export const delays = ['1s', '2s', '5s'] as const;

/** The topics and groups of one experiment. */
export interface Names {
  readonly completed: string;
  readonly configurations: string;
  readonly deadLetters: string;
  readonly results: string;
  readonly tierPrefix: string;
  readonly tiers: readonly string[];
  readonly group: string;
  readonly retryGroup: string;
}

export function namesFor(prefix: string): Names {
  const tierPrefix = `${prefix}.retry`;
  return {
    completed: `${prefix}.completed`,
    configurations: `${prefix}.configurations`,
    deadLetters: `${prefix}.dead-letter`,
    results: `${prefix}.results`,
    tierPrefix,
    tiers: delays.map((delay) => `${tierPrefix}.${delay}`),
    group: `${prefix}.group`,
    retryGroup: `${prefix}.group.retry`,
  };
}

/** Returns the topics that each group commits. */
export function readsOf({ group, retryGroup, completed, tiers }: Names): readonly GroupTopic[] {
  return [{ group, topic: completed }, ...tiers.map((topic) => ({ group: retryGroup, topic }))];
}
