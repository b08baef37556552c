import { all, certificateTopics, deployment, ours, process, text } from '../promql.ts';
import type { Alert } from '../rule.ts';

/** Whether a limit holds the service back. */
export const capacityAlerts: readonly Alert[] = [
  {
    name: 'Saturated',
    severity: 'ticket',
    for: '15m',
    expression: saturated(),
    summary: 'An instance works at its limit: {{ $labels.resource }}.',
    description: text`
      For a quarter of an hour an instance had no {{ $labels.resource }} to spare, so certificates or retries wait. If its
      processor is busy, give it more, or add instances up to the number of partitions. If it is not, endpoints are
      slow: raise DELIVERY_MAX_IN_FLIGHT for requests, INTAKE_MAX_RECORDS, INTAKE_MAX_BYTES or INTAKE_MAX_SPAN for intake.
    `,
  },
];

/** Tiers pause as a matter of course: they are read ahead as far as their limit allows. */
function saturated(): string {
  const inFlight = `avg_over_time(${ours('in_flight_deliveries')}[15m])`;
  const paused = `avg_over_time(${ours('paused_partitions', certificateTopics)}[15m])`;
  const eventLoop = `avg_over_time(${all('nodejs_eventloop_lag_p99_seconds')}[15m])`;
  return [
    limit('requests', `${inFlight} / ${ours('in_flight_deliveries_limit')} > 0.9`),
    limit('intake', `${paused} > 0.5`),
    limit('event loop', `${eventLoop} > 0.5 and on (${process}) ${ours('build_info')}`),
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
