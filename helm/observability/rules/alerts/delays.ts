import { deployment, kept, ours, prompt, promptSeconds, shortTiers, text, tiers } from '../promql.ts';
import { fastBurn, lateBudget, slowBurn } from '../objectives.ts';
import { recorded, type Window } from '../recordings.ts';
import type { Alert } from '../rule.ts';

const byDeployment = `by (${deployment})`;

/** Whether what is delivered is delivered in time. */
export const delayAlerts: readonly Alert[] = [
  {
    name: 'QueueDelay',
    severity: 'page',
    expression: queueDelay(),
    summary: '{{ $value | humanizePercentage }} of the certificates wait longer than a minute for their first attempt.',
    description: text`
      So many first attempts start late that the month's budget of one in a thousand will be spent within days. The
      service is behind with reading: look at the lag by partition, at the limits of capacity, and whether the instances
      keep rebalancing. More instances help up to the number of partitions.
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
      read. First attempts do not suffer. Look whether the capacity for retries is used up (requests in flight, attempt
      retry), and at the lag of the retry topics' partitions.
    `,
  },
];

/**
 * Two pairs of windows: a fast burn is noticed soon, a slow one before the budget is gone, and each short window ends the
 * alert once it is over. A handful of late certificates is no reason to wake anybody, however few others there are. And
 * the service is behind only if it was seen with a record that old: a flood of deliveries that were put off, and come all
 * at once, can blur the difference of rates.
 */
function queueDelay(): string {
  return text`
    (
      ${burnsOver('1h', '5m', fastBurn)}
      or
      ${burnsOver('6h', '30m', slowBurn)}
    )
    and
    max_over_time(${kept(recorded.oldestAge)}[1h]) > ${promptSeconds}
  `;
}

function burnsOver(long: Window, short: Window, times: number): string {
  return text`
    (
      ${kept(recorded.lateRatio(long))} > ${times} * ${lateBudget} # threshold
      and
      ${kept(recorded.lateRatio(short))} > ${times} * ${lateBudget} # threshold
      and
      ${late('queue_delay_seconds', byDeployment, long)} >= 10
    )
  `;
}

/** In turn: they start late, nobody reads a tier, and a tier that lets go of everything soon lets go of nothing. */
function retriesLate(): string {
  const byTier = `by (${deployment}, tier)`;
  const byTopic = `by (${deployment}, topic)`;
  const lateOnes = late('retry_lateness_seconds', byTier, '15m');
  return text`
    (
      ${lateOnes}
      / sum ${byTier} (increase(${ours('retry_lateness_seconds_count')}[15m]))
      > 0.1 # threshold
      and
      ${lateOnes} >= 10
    )
    or
    sum ${byTopic} (${ours('assigned_partitions', tiers)}) == 0
    or
    (
      sum ${byTopic} (min_over_time(${ours('consumer_lag_records', shortTiers)}[15m])) > 0
      and
      sum ${byTopic} (increase(${ours('records_settled_total', shortTiers)}[30m])) == 0
    )
  `;
}

/** How many took longer than they should. */
function late(histogram: string, by: string, window: string): string {
  return text`
    (
      sum ${by} (increase(${ours(`${histogram}_count`)}[${window}]))
      - sum ${by} (increase(${ours(`${histogram}_bucket`, prompt)}[${window}]))
    )
  `;
}
