import type { Attempt } from './attempt.ts';

/** The deliveries of one webhook by state. */
export interface DeliveryCounts {
  readonly delivered: number;
  /** Deliveries in a tier. */
  readonly waiting: number;
  /** Attempts after the first one of each delivery. */
  readonly retries: number;
  readonly dead: number;
}

export function countDeliveries(configurationId: string, attempts: readonly Attempt[]): DeliveryCounts {
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

/** Counts the deliveries that are delivered or dead-lettered. */
export function countSettled(attempts: readonly Attempt[]): number {
  return attempts.filter(({ settlement }) => settlement === 'done' || settlement === 'dead').length;
}
