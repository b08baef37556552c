import {
  deployment,
  mostly,
  recordedSeries,
  serviceMetric,
  prompt,
  promptSeconds,
  shortTiers,
  text,
  tiers,
} from '../promql.ts';
import { dailyBurn, fastBurn, lateBudget, slowBurn, steadyBurn } from '../objectives.ts';
import { recorded, type Window } from '../recordings.ts';
import type { Alert } from '../rule.ts';

const byDeployment = `by (${deployment})`;

/** Alerts about late deliveries. */
export const delayAlerts: readonly Alert[] = [
  {
    name: 'QueueDelay',
    severity: 'page',
    expression: queueDelay(),
    summary: '{{ $value | humanizePercentage }} of the certificates wait longer than a minute for their first attempt.',
    description: text`
      At this rate of late first attempts, the month's budget of one in a thousand is spent within days. The service is
      behind with reading: check the lag by partition, the capacity limits, and whether the instances keep rebalancing.
      More instances help, up to the number of partitions.
    `,
  },
  {
    name: 'BudgetBurn',
    severity: 'ticket',
    for: '15m',
    expression: budgetBurn(),
    summary: '{{ $value | humanizePercentage }} of the certificates wait longer than a minute, for a day or longer.',
    description: text`
      Too few first attempts are late to wake somebody, but they are late for so long that the month's budget of one in a
      thousand does not last. Look for what recurs: roll-outs, rebalances, bursts of one owner, or a partition with more
      certificates than the others.
    `,
  },
  {
    name: 'RetriesLate',
    severity: 'ticket',
    for: '15m',
    expression: retriesLate(),
    summary: 'Retries start late, or not at all.',
    description: text`
      Retries of the tier {{ $labels.tier }}{{ $labels.topic }} start more than a minute after they are due, or are not
      read. First attempts are not affected. Check whether the capacity for retries is used up (requests in flight with
      attempt=retry), and the lag of the retry topics.
    `,
  },
];

/**
 * Fires on a high burn rate in two pairs of windows. The fast burn is noticed soon, the slow one before the budget is
 * spent. The short window of each pair clears the alert soon after the burn has ended.
 *
 * At least ten late certificates are required, so that a handful wakes nobody. A record of that age must also have been
 * seen. Many deferred deliveries at once can distort the difference of rates.
 */
function queueDelay(): string {
  return burns([burnsOver('1h', '5m', fastBurn), burnsOver('6h', '30m', slowBurn)], '1h');
}

/** Fires on a burn rate that is too low to page, but spends the budget if it stays. */
function budgetBurn(): string {
  return burns([burnsOver('1d', '2h', dailyBurn), burnsOver('3d', '6h', steadyBurn)], '1d');
}

function burns([fast, slow]: readonly [string, string], seenWithin: Window): string {
  return text`
    (
      ${fast}
      or
      ${slow}
    )
    and
    max_over_time(${recordedSeries(recorded.oldestAge)}[${seenWithin}]) > ${promptSeconds}
  `;
}

function burnsOver(long: Window, short: Window, times: number): string {
  return text`
    (
      ${recordedSeries(recorded.lateRatio(long))} > ${times} * ${lateBudget} # threshold
      and
      ${recordedSeries(recorded.lateRatio(short))} > ${times} * ${lateBudget} # threshold
      and
      ${late('queue_delay_seconds', byDeployment, long)} >= 10
    )
  `;
}

/**
 * Fires on any of these conditions:
 *
 * - Retries start late.
 * - No instance has a retry topic's partitions.
 * - A retry topic with a short delay has records, but none is settled.
 */
function retriesLate(): string {
  const byTier = `by (${deployment}, tier)`;
  const byTopic = `by (${deployment}, topic)`;
  const lateOnes = late('retry_lateness_seconds', byTier, '15m');
  return text`
    (
      ${lateOnes}
      / sum ${byTier} (increase(${serviceMetric('retry_lateness_seconds_count')}[15m]))
      > 0.1 # threshold
      and
      ${lateOnes} >= 10
    )
    or
    sum ${byTopic} (${serviceMetric('assigned_partitions', tiers)}) == 0
    or
    (
      ${mostly(`sum ${byTopic} (${serviceMetric('consumer_lag_records', shortTiers)}) > 0`, 15)}
      and
      sum ${byTopic} (increase(${serviceMetric('records_settled_total', shortTiers)}[30m])) == 0
    )
  `;
}

/** Returns the number of observations above `promptSeconds`. */
function late(histogram: string, by: string, window: string): string {
  return text`
    (
      sum ${by} (increase(${serviceMetric(`${histogram}_count`)}[${window}]))
      - sum ${by} (increase(${serviceMetric(`${histogram}_bucket`, prompt)}[${window}]))
    )
  `;
}
