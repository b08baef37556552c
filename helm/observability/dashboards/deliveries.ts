import type { DashboardDefinition, PanelDefinition } from './definition.ts';
import { increase, serviceMetric, quantile, rate } from './promql.ts';

export const deliveries: DashboardDefinition = {
  name: 'deliveries',
  title: 'Deliveries',
  description: 'Rate, errors and duration of delivery attempts; deferrals, retries and dead letters.',
  rows: [
    { title: 'Attempts', panels: attempts() },
    { title: 'Durations', panels: times() },
    { title: 'Deferred and retried', panels: retries() },
    { title: 'Capacity', panels: capacity() },
    { title: 'Dead letters and missing fields', panels: losses() },
  ],
};

function attempts(): readonly PanelDefinition[] {
  const total = serviceMetric('delivery_attempts_total');
  const delivered = serviceMetric('delivery_attempts_total', 'outcome="delivered"');
  return [
    {
      title: 'Attempts by outcome',
      description:
        'If one outcome grows for many endpoints at once, the cause is on our side. Check DNS for dns_error, the outbound network for connect_error and timeout, clock and certificate authorities for tls_error, the egress policy for blocked.',
      unit: 'reqps',
      visualization: 'areas',
      width: 8,
      queries: [{ expression: rate(total, 'outcome'), legend: '{{outcome}}' }],
    },
    {
      title: 'Responses by status class',
      description:
        'The status class of the responses. none means an attempt without a usable response. If 4xx rises, subscribers should check their credentials. If 5xx rises, their endpoints fail.',
      unit: 'reqps',
      visualization: 'areas',
      width: 8,
      queries: [{ expression: rate(total, 'status_class'), legend: '{{status_class}}' }],
    },
    {
      title: 'Successful attempts',
      description:
        'The share of attempts that end with a 2xx. Look at first attempts: retries go to endpoints that failed before. If both fall, look for a cause on our side.',
      unit: 'percentunit',
      width: 8,
      queries: [{ expression: `${rate(delivered, 'attempt')} / ${rate(total, 'attempt')}`, legend: '{{attempt}}' }],
    },
  ];
}

function times(): readonly PanelDefinition[] {
  return [
    {
      title: 'Duration of an attempt',
      description:
        'The time from the start of an attempt to the response head. If the median rises, check the outbound network and the CPU. DELIVERY_TIMEOUT limits the maximum.',
      unit: 's',
      queries: [0.5, 0.9, 0.99].map((share) => ({
        expression: quantile(share, 'delivery_duration_seconds'),
        legend: `${share * 100} %`,
      })),
    },
    {
      title: 'Distribution of durations',
      description:
        'The number of attempts by duration. A band at the top means endpoints that do not answer in time. A band that moves up means a cause shared by all endpoints.',
      unit: 's',
      visualization: 'heatmap',
      queries: [{ expression: rate(serviceMetric('delivery_duration_seconds_bucket'), 'le'), legend: '{{le}}' }],
    },
    {
      title: 'From record to delivery',
      description:
        'The time from the timestamp of a record to the 2xx, including retries. A high 99th percentile comes from failing subscribers. If the median rises, check the delays of first attempts.',
      unit: 's',
      queries: [0.5, 0.99].map((share) => ({
        expression: quantile(share, 'delivery_latency_seconds', 'event_type'),
        legend: `{{event_type}} ${share * 100} %`,
      })),
    },
    {
      title: 'Delays of first attempts',
      description:
        'The number of first attempts by their delay after the record. A rising band is a backlog being read. Single high values are deferred deliveries.',
      unit: 's',
      visualization: 'heatmap',
      queries: [{ expression: rate(serviceMetric('queue_delay_seconds_bucket'), 'le'), legend: '{{le}}' }],
    },
  ];
}

function retries(): readonly PanelDefinition[] {
  return [
    {
      title: 'Deferred without an attempt, by reason',
      description:
        'circuit_open and overloaded: endpoints that fail or are slow. paused: the subscriber is paused. configuration_invalid: a configuration must be fixed. local_error: our fault, such as no file descriptors, no ports, or an unreachable proxy.',
      unit: 'cps',
      visualization: 'areas',
      width: 8,
      queries: [{ expression: rate(serviceMetric('deliveries_deferred_total'), 'reason'), legend: '{{reason}}' }],
    },
    {
      title: 'Retries written, by tier',
      description:
        'A wave that moves from tier to tier is a group of endpoints that stays down. If the last tier grows, dead letters will follow.',
      unit: 'cps',
      visualization: 'areas',
      width: 8,
      queries: [{ expression: rate(serviceMetric('retries_scheduled_total'), 'tier'), legend: '{{tier}}' }],
    },
    {
      title: 'Lateness of retries by tier',
      description:
        'The 99th percentile of the time from the due time of a retry to its start. A few seconds are normal. If it grows, check the retry requests in flight and the lag of the retry topics.',
      unit: 's',
      width: 8,
      bad: { above: 60 },
      queries: [{ expression: quantile(0.99, 'retry_lateness_seconds', 'tier'), legend: '{{tier}}' }],
    },
  ];
}

function capacity(): readonly PanelDefinition[] {
  return [
    {
      title: 'Requests in flight',
      description:
        'Requests in flight, and their limit. First attempts and retries have separate capacity. If they stay at the limit, add instances, or raise DELIVERY_MAX_IN_FLIGHT if the CPU is idle.',
      unit: 'short',
      queries: [
        { expression: `sum by (attempt) (${serviceMetric('in_flight_deliveries')})`, legend: '{{attempt}}' },
        {
          expression: `sum by (attempt) (${serviceMetric('in_flight_deliveries_limit')})`,
          legend: '{{attempt}}, limit',
        },
      ],
    },
    {
      title: 'In waiting rooms',
      description:
        'Deliveries that wait for their endpoint or for capacity. High with few requests in flight: a few endpoints are too slow for their certificates. High at the limit of requests: the capacity is used up.',
      unit: 'short',
      queries: [{ expression: `sum by (attempt) (${serviceMetric('waiting_deliveries')})`, legend: '{{attempt}}' }],
    },
  ];
}

function losses(): readonly PanelDefinition[] {
  return [
    {
      title: 'Dead letters by reason',
      description:
        'A person must handle each of them. The log names every one: delivery.dead_lettered for deliveries, record.rejected and record.failed for records.',
      unit: 'short',
      visualization: 'areas',
      queries: [{ expression: increase(serviceMetric('dead_letters_total'), 'reason'), legend: '{{reason}}' }],
    },
    {
      title: 'Missing fields by field',
      description:
        'Fields of the contract that delivered certificates did not have. Tell the producer, because subscribers may rely on them.',
      unit: 'short',
      visualization: 'areas',
      queries: [{ expression: increase(serviceMetric('contract_deviations_total'), 'field'), legend: '{{field}}' }],
    },
  ];
}
