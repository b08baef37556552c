import { certificateTopics, deployment, process, prompt, recordedSeries, serviceMetric, text } from './promql.ts';
import type { Recording } from './rule.ts';

/** The windows over which the rate of late first attempts is evaluated. */
export const windows = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const;
export type Window = (typeof windows)[number];

/** The names of the recorded series. */
export const recorded = {
  deferred: 'job:certificate_webhooks_first_attempts_put_off:rate5m',
  first: 'job:certificate_webhooks_first_attempts:rate5m',
  late: 'job:certificate_webhooks_first_attempts_late:rate5m',
  lateRatio: (window: Window) => `job:certificate_webhooks_first_attempts_late:ratio_rate${window}`,
  oldestAge: 'job:certificate_webhooks_oldest_unsettled_record_age_seconds:max',
  delivered: 'job:certificate_webhooks_deliveries_delivered:rate5m',
  deadLettered: 'job:certificate_webhooks_deliveries_dead_lettered:rate5m',
  failingEndpoints: 'job:certificate_webhooks_endpoints_failing:sum',
  usuallyFailingEndpoints: 'job:certificate_webhooks_endpoints_failing:p50_1d',
  openEndpoints: 'job:certificate_webhooks_endpoints_open:sum',
  usuallyOpenEndpoints: 'job:certificate_webhooks_endpoints_open:p90_1d',
  activeConfigurations: 'job:certificate_webhooks_configurations_active:min',
  usuallyActiveConfigurations: 'job:certificate_webhooks_configurations_active:p50_1d',
  claimed: 'job:certificate_webhooks_records_claimed:ratio_rate1h',
  usuallyClaimed: 'job:certificate_webhooks_records_claimed:p50_1d',
} as const;

const byDeployment = `by (${deployment})`;

/** All recording rules. Each may use those above it. */
export const recordings: readonly Recording[] = [
  ...freshness(),
  ...deliveredShare(),
  {
    record: recorded.oldestAge,
    // There is no sample if nothing is unsettled.
    expression: `max ${byDeployment} (time() - ${serviceMetric('oldest_unsettled_record_timestamp_seconds')})`,
  },
  {
    record: recorded.openEndpoints,
    expression: `sum ${byDeployment} (${serviceMetric('endpoints', 'circuit="open"')})`,
  },
  {
    record: recorded.usuallyOpenEndpoints,
    expression: `quantile_over_time(0.9, ${recordedSeries(recorded.openEndpoints)}[1d])`,
  },
  { record: recorded.failingEndpoints, expression: `sum ${byDeployment} (${serviceMetric('endpoints_failing')})` },
  { record: recorded.usuallyFailingEndpoints, expression: median(recorded.failingEndpoints) },
  ...subscriptions(),
];

/**
 * Counts first attempts, except those of deferred deliveries. Their delay says nothing about this service: their
 * subscriber was paused, for example, or its circuit was open. Such an attempt comes from a retry topic but is the first
 * one of its delivery.
 */
function freshness(): readonly Recording[] {
  const fromTier = `sum ${byDeployment} (rate(${serviceMetric('retry_lateness_seconds_count')}[5m]))`;
  const retries = `sum ${byDeployment} (rate(${serviceMetric('delivery_attempts_total', 'attempt="retry"')}[5m]))`;
  const started = `sum ${byDeployment} (rate(${serviceMetric('queue_delay_seconds_count')}[5m]))`;
  const inTime = `sum ${byDeployment} (rate(${serviceMetric('queue_delay_seconds_bucket', prompt)}[5m]))`;
  const deferred = recordedSeries(recorded.deferred);
  return [
    { record: recorded.deferred, expression: difference(fromTier, retries) },
    { record: recorded.first, expression: difference(started, deferred) },
    { record: recorded.late, expression: difference(started, inTime, deferred) },
    ...windows.map((window) => ({
      record: recorded.lateRatio(window),
      expression: text`
        sum_over_time(${recordedSeries(recorded.late)}[${window}])
        /
        (sum_over_time(${recordedSeries(recorded.first)}[${window}]) > 0)
      `,
    })),
  ];
}

/** Subtracts all other terms from the first. Rates are estimates, so the result is limited to zero from below. */
function difference(...terms: readonly string[]): string {
  return text`
    clamp_min(
      ${terms.join('\n- ')},
      0
    )
  `;
}

function deliveredShare(): readonly Recording[] {
  const delivered = serviceMetric('delivery_attempts_total', 'outcome="delivered"');
  const deadLettered = serviceMetric('dead_letters_total', 'reason=~"exhausted|expired|too_large"');
  return [
    { record: recorded.delivered, expression: `sum ${byDeployment} (rate(${delivered}[5m]))` },
    { record: recorded.deadLettered, expression: `sum ${byDeployment} (rate(${deadLettered}[5m]))` },
  ];
}

/**
 * Compares configurations and claimed certificates with the median of the last day. The median follows a fall only after
 * half a day, and is known soon after the first start. Instances without certificates may still read the configurations.
 */
function subscriptions(): readonly Recording[] {
  const settled = serviceMetric('records_settled_total', certificateTopics);
  const claimed = serviceMetric('records_settled_total', certificateTopics, 'result!="unclaimed"');
  return [
    {
      record: recorded.activeConfigurations,
      expression: text`
        min ${byDeployment} (
          sum by (${process}) (${serviceMetric('webhook_configurations', 'state="active"')})
          and
          sum by (${process}) (${serviceMetric('assigned_partitions', certificateTopics)}) > 0
        )
      `,
    },
    { record: recorded.usuallyActiveConfigurations, expression: median(recorded.activeConfigurations) },
    {
      record: recorded.claimed,
      expression: text`
        sum ${byDeployment} (rate(${claimed}[1h]))
        /
        (sum ${byDeployment} (rate(${settled}[1h])) > 0)
      `,
    },
    { record: recorded.usuallyClaimed, expression: median(recorded.claimed) },
  ];
}

function median(record: string): string {
  return `quantile_over_time(0.5, ${recordedSeries(record)}[1d])`;
}
