import type { DashboardPlan, PanelPlan } from './plan.ts';
import { increase, ours, quantile, rate } from './promql.ts';

export const deliveries: DashboardPlan = {
  name: 'deliveries',
  title: 'Deliveries',
  description: 'Rate, errors and duration of the attempts to deliver, and what is put off, retried and buried.',
  rows: [
    { title: 'Attempts', panels: attempts() },
    { title: 'Time', panels: times() },
    { title: 'Put off and tried again', panels: retries() },
    { title: 'Capacity', panels: capacity() },
    { title: 'Not delivered, or not whole', panels: losses() },
  ],
};

function attempts(): readonly PanelPlan[] {
  const total = ours('delivery_attempts_total');
  const delivered = ours('delivery_attempts_total', 'outcome="delivered"');
  return [
    {
      title: 'Attempts, by outcome',
      description:
        'One outcome that grows for many endpoints at once points at our side: dns_error at the name service, connect_error and timeout at the way out, tls_error at clock or authorities, blocked at the policy.',
      unit: 'reqps',
      look: 'areas',
      width: 8,
      queries: [{ expression: rate(total, 'outcome'), legend: '{{outcome}}' }],
    },
    {
      title: 'Answers, by class of status',
      description:
        'What endpoints answer; none is an attempt without a usable response. A rise of 4xx is for subscribers to look at, credentials most of all; a rise of 5xx is a fault of theirs.',
      unit: 'reqps',
      look: 'areas',
      width: 8,
      queries: [{ expression: rate(total, 'status_class'), legend: '{{status_class}}' }],
    },
    {
      title: 'Attempts that deliver',
      description:
        'The share of attempts that end with a 2xx. First attempts are the better measure: retries go to endpoints that failed before. When both fall, look for a cause on our side.',
      unit: 'percentunit',
      width: 8,
      queries: [{ expression: `${rate(delivered, 'attempt')} / ${rate(total, 'attempt')}`, legend: '{{attempt}}' }],
    },
  ];
}

function times(): readonly PanelPlan[] {
  return [
    {
      title: 'Duration of an attempt',
      description:
        'From leaving the waiting room to the head of the response. When the median rises for everybody, suspect the way out or the processor; the highest are bounded by DELIVERY_TIMEOUT.',
      unit: 's',
      queries: [0.5, 0.9, 0.99].map((share) => ({
        expression: quantile(share, 'delivery_duration_seconds'),
        legend: `${share * 100} %`,
      })),
    },
    {
      title: 'Durations',
      description:
        'How many attempts took how long. A band at the top is endpoints that do not answer in time; a band that moves up is something all endpoints have in common.',
      unit: 's',
      look: 'heatmap',
      queries: [{ expression: rate(ours('delivery_duration_seconds_bucket'), 'le'), legend: '{{le}}' }],
    },
    {
      title: 'From record to delivery',
      description:
        'From the timestamp of a record to the 2xx, retries included. A high 99th percentile is that of subscribers who fail; when the median rises, see the delay of first attempts.',
      unit: 's',
      queries: [0.5, 0.99].map((share) => ({
        expression: quantile(share, 'delivery_latency_seconds', 'event_type'),
        legend: `{{event_type}} ${share * 100} %`,
      })),
    },
    {
      title: 'Delays of first attempts',
      description:
        'How many first attempts started how long after their record. A band that rises is a backlog being read; single high ones are deliveries that were put off.',
      unit: 's',
      look: 'heatmap',
      queries: [{ expression: rate(ours('queue_delay_seconds_bucket'), 'le'), legend: '{{le}}' }],
    },
  ];
}

function retries(): readonly PanelPlan[] {
  return [
    {
      title: 'Put off without an attempt, by reason',
      description:
        'Circuit_open and overloaded are endpoints that fail or are slow, paused is a choice, configuration_invalid waits to be corrected. Local_error is ours: out of file handles or ports, or the proxy is out of reach.',
      unit: 'cps',
      look: 'areas',
      width: 8,
      queries: [{ expression: rate(ours('deliveries_deferred_total'), 'reason'), legend: '{{reason}}' }],
    },
    {
      title: 'Written to retry topics, by tier',
      description:
        'A wave that moves from tier to tier is a group of endpoints that stays down. When the last tier grows, dead letters follow.',
      unit: 'cps',
      look: 'areas',
      width: 8,
      queries: [{ expression: rate(ours('retries_scheduled_total'), 'tier'), legend: '{{tier}}' }],
    },
    {
      title: 'Lateness of retries, by tier',
      description:
        'The 99th percentile of the time from when a retry is due to its start. Some seconds are usual; when it grows, see the requests of the kind retry that are out, and the lag of the retry topics.',
      unit: 's',
      width: 8,
      bad: { above: 60 },
      queries: [{ expression: quantile(0.99, 'retry_lateness_seconds', 'tier'), legend: '{{tier}}' }],
    },
  ];
}

function capacity(): readonly PanelPlan[] {
  return [
    {
      title: 'Requests out',
      description:
        'Requests under way, and how many may be. First attempts and retries have capacity of their own. At the limit for long: more instances, or a higher DELIVERY_MAX_IN_FLIGHT if the processor is not busy.',
      unit: 'short',
      queries: [
        { expression: `sum by (attempt) (${ours('in_flight_deliveries')})`, legend: '{{attempt}}' },
        { expression: `sum by (attempt) (${ours('in_flight_deliveries_limit')})`, legend: '{{attempt}}, limit' },
      ],
    },
    {
      title: 'In waiting rooms',
      description:
        'Deliveries that wait for their endpoint or for capacity. High while few requests are out: a few endpoints are slower than their certificates come. High at the limit: the capacity is used up.',
      unit: 'short',
      queries: [{ expression: `sum by (attempt) (${ours('waiting_deliveries')})`, legend: '{{attempt}}' }],
    },
  ];
}

function losses(): readonly PanelPlan[] {
  return [
    {
      title: 'Dead letters, by reason',
      description:
        'Each waits for a person. The log names every one: delivery.dead_lettered for deliveries, record.rejected and record.failed for records.',
      unit: 'short',
      look: 'areas',
      queries: [{ expression: increase(ours('dead_letters_total'), 'reason'), legend: '{{reason}}' }],
    },
    {
      title: 'Missing fields, by field',
      description:
        'Fields that the contract lists and a certificate went out without. Tell the producer: subscribers may rely on them.',
      unit: 'short',
      look: 'areas',
      queries: [{ expression: increase(ours('contract_deviations_total'), 'field'), legend: '{{field}}' }],
    },
  ];
}
