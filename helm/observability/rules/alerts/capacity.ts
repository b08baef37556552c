import { anyMetric, certificateTopics, deployment, serviceMetric, process, text } from '../promql.ts';
import type { Alert } from '../rule.ts';

/** Alerts about limits that slow the service down. */
export const capacityAlerts: readonly Alert[] = [
  {
    name: 'Saturated',
    severity: 'ticket',
    for: '15m',
    expression: saturated(),
    summary: 'An instance works at its limit: {{ $labels.resource }}.',
    description: text`
      An instance had no {{ $labels.resource }} left for 15 minutes, so certificates or retries wait. If its CPU is busy,
      add CPU, or add instances up to the number of partitions. If its CPU is idle, endpoints are slow: raise
      DELIVERY_MAX_IN_FLIGHT for requests. For intake, the label reason of certificate_webhooks_paused_partitions says
      which limit holds certificates back. Partitions that wait for something else, such as a schema or their topic, do not count.
    `,
  },
];

/** Ignores paused retry topics: they are always read ahead up to their limit. */
function saturated(): string {
  const inFlight = `avg_over_time(${serviceMetric('in_flight_deliveries')}[15m])`;
  // The other reasons are no limits of the process: more capacity makes no schema known, and brings no topic back.
  const limitReached = 'reason=~"window|waiting_room|deliveries|records|bytes|span|turn"';
  const pausedByReason = `avg_over_time(${serviceMetric('paused_partitions', certificateTopics, limitReached)}[15m])`;
  const paused = `sum without (reason) (${pausedByReason})`;
  const eventLoop = `avg_over_time(${anyMetric('nodejs_eventloop_lag_p99_seconds')}[15m])`;
  return [
    limit('requests', `${inFlight} / ${serviceMetric('in_flight_deliveries_limit')} > 0.9`),
    limit('intake', `${paused} > 0.5`),
    limit('event loop', `${eventLoop} > 0.5 and on (${process}) ${serviceMetric('build_info')}`),
  ].join('\nor\n');
}

function limit(resource: string, exceeded: string): string {
  return text`
    label_replace(
      max by (${deployment}) (${exceeded}),
      "resource", "${resource}", "", ""
    )
  `;
}
