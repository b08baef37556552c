import { deployment, kept, ours, prompt, text } from './promql.ts';
import type { Recording } from './rule.ts';

/** Over which the budget of late first attempts is looked at. */
export const windows = ['5m', '30m', '1h', '6h'] as const;
export type Window = (typeof windows)[number];

/** The names under which results are kept. */
export const recorded = {
  putOff: 'job:certificate_webhooks_first_attempts_put_off:rate5m',
  first: 'job:certificate_webhooks_first_attempts:rate5m',
  late: 'job:certificate_webhooks_first_attempts_late:rate5m',
  lateRatio: (window: Window) => `job:certificate_webhooks_first_attempts_late:ratio_rate${window}`,
  oldestAge: 'job:certificate_webhooks_oldest_unsettled_record_age_seconds:max',
  delivered: 'job:certificate_webhooks_deliveries_delivered:rate5m',
  buried: 'job:certificate_webhooks_deliveries_buried:rate5m',
  openEndpoints: 'job:certificate_webhooks_endpoints_open:sum',
  usuallyOpenEndpoints: 'job:certificate_webhooks_endpoints_open:p90_1d',
} as const;

const byDeployment = `by (${deployment})`;

/** Each may use those above it. */
export const recordings: readonly Recording[] = [
  ...freshness(),
  ...deliveredShare(),
  {
    record: recorded.oldestAge,
    // No sample while nothing is unsettled.
    expression: `max ${byDeployment} (time() - ${ours('oldest_unsettled_record_timestamp_seconds')})`,
  },
  {
    record: recorded.openEndpoints,
    expression: `sum ${byDeployment} (${ours('endpoints', 'circuit="open"')})`,
  },
  {
    record: recorded.usuallyOpenEndpoints,
    expression: `quantile_over_time(0.9, ${kept(recorded.openEndpoints)}[1d])`,
  },
];

/**
 * Of the first attempts at a delivery those are left out that were put off before: their subscriber is paused, say, or its
 * circuit was open, and how long that lasts says nothing of this service. They are those that come from a tier and are
 * not a second attempt or a later one.
 */
function freshness(): readonly Recording[] {
  const fromTier = `sum ${byDeployment} (rate(${ours('retry_lateness_seconds_count')}[5m]))`;
  const again = `sum ${byDeployment} (rate(${ours('delivery_attempts_total', 'attempt="retry"')}[5m]))`;
  const started = `sum ${byDeployment} (rate(${ours('queue_delay_seconds_count')}[5m]))`;
  const inTime = `sum ${byDeployment} (rate(${ours('queue_delay_seconds_bucket', prompt)}[5m]))`;
  const putOff = kept(recorded.putOff);
  return [
    { record: recorded.putOff, expression: difference(fromTier, again) },
    { record: recorded.first, expression: difference(started, putOff) },
    { record: recorded.late, expression: difference(started, inTime, putOff) },
    ...windows.map((window) => ({
      record: recorded.lateRatio(window),
      expression: text`
        sum_over_time(${kept(recorded.late)}[${window}])
        /
        (sum_over_time(${kept(recorded.first)}[${window}]) > 0)
      `,
    })),
  ];
}

/** The first less all others. Rates are estimates, and a difference of them may fall below zero. */
function difference(...terms: readonly string[]): string {
  return text`
    clamp_min(
      ${terms.join('\n- ')},
      0
    )
  `;
}

function deliveredShare(): readonly Recording[] {
  const delivered = ours('delivery_attempts_total', 'outcome="delivered"');
  const buried = ours('dead_letters_total', 'reason=~"exhausted|expired|too_large"');
  return [
    { record: recorded.delivered, expression: `sum ${byDeployment} (rate(${delivered}[5m]))` },
    { record: recorded.buried, expression: `sum ${byDeployment} (rate(${buried}[5m]))` },
  ];
}
