import type { Attempt } from './attempt.ts';

/** How far the deliveries of one webhook are. */
export interface Standing {
  readonly delivered: number;
  /** In a tier, until the next attempt. */
  readonly waiting: number;
  /** Attempts after the first. */
  readonly retries: number;
  readonly dead: number;
}

export function standingOf(configurationId: string, attempts: readonly Attempt[]): Standing {
  const own = attempts.filter((attempt) => attempt.configurationId === configurationId);
  const latest = new Map(own.map((attempt) => [attempt.deliveryId, attempt.settlement]));
  const settlements = [...latest.values()];
  const count = (settlement: string): number => settlements.filter((one) => one === settlement).length;
  return {
    delivered: count('done'),
    waiting: count('retry') + count('defer'),
    retries: own.filter(({ attempt }) => attempt > 1).length,
    dead: count('dead'),
  };
}

/** Deliveries that are over, one way or the other. */
export function settledIn(attempts: readonly Attempt[]): number {
  return attempts.filter(({ settlement }) => settlement === 'done' || settlement === 'dead').length;
}
