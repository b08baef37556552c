import { deliveredObjective, fastBurn, freshObjective, lateBudget } from '../rules/objectives.ts';
import { certificateTopics, promptSeconds, tiers } from '../rules/promql.ts';
import { recorded, windows } from '../rules/recordings.ts';
import type { DashboardDefinition, PanelDefinition } from './definition.ts';
import { increase, recordedSeries, serviceMetric, quantile, rate } from './promql.ts';

const number = { visualization: 'number', width: 4 } as const;

export const overview: DashboardDefinition = {
  name: 'overview',
  title: 'Overview',
  description: 'Shows whether certificates reach their subscribers in time.',
  rows: [
    { title: 'Objectives over thirty days, and current state', panels: [...objectives(), ...currentState()] },
    { title: 'In time', panels: freshness() },
    { title: 'Certificates', panels: certificates() },
  ],
};

function objectives(): readonly PanelDefinition[] {
  const [late, first, delivered, deadLettered] = [
    recorded.late,
    recorded.first,
    recorded.delivered,
    recorded.deadLettered,
  ].map((record) => `sum(sum_over_time(${recordedSeries(record)}[30d]))`);
  return [
    {
      ...number,
      title: 'First attempts in time',
      description: `The share of first attempts that started within ${promptSeconds} s of the record. The objective is ${freshObjective * 100} %. Deliveries deferred before, for example because their subscriber is paused, do not count. If it is below the objective, the burn rate shows when the attempts were late.`,
      unit: 'percentunit',
      decimals: 3,
      bad: { below: freshObjective },
      queries: [{ expression: `1 - ${late} / ${first}`, legend: 'in time' }],
    },
    {
      ...number,
      title: 'Budget left',
      description:
        'The share of the thirty-day budget for late attempts that is left. If it nears zero, postpone changes and fix the cause of the delays.',
      unit: 'percentunit',
      decimals: 1,
      bad: { below: 0.25 },
      queries: [{ expression: `1 - ${late} / (${lateBudget} * ${first})`, legend: 'budget left' }],
    },
    {
      ...number,
      title: 'Successful deliveries',
      description: `The share of finished deliveries that ended with a 2xx, not in the dead-letter topic. The objective is ${deliveredObjective * 100} %. If it is lower, check the dead letters by reason: subscribers must fix most of them.`,
      unit: 'percentunit',
      decimals: 2,
      bad: { below: deliveredObjective },
      queries: [{ expression: `${delivered} / (${delivered} + ${deadLettered})`, legend: 'delivered' }],
    },
  ];
}

function currentState(): readonly PanelDefinition[] {
  return [
    {
      ...number,
      title: 'Oldest unsettled certificate',
      description:
        'The age of the oldest record that was read but is not settled. With slow subscribers it is at most a minute. If it grows, the service is behind or stuck: check lag and uncommitted records on the Kafka dashboard.',
      unit: 's',
      bad: { above: promptSeconds },
      queries: [{ expression: `max(${recordedSeries(recorded.oldestAge)}) or vector(0)`, legend: 'oldest' }],
    },
    {
      ...number,
      title: 'Instances',
      description: 'Instances that answer scrapes. If there are fewer than you have started, read their logs.',
      unit: 'short',
      bad: { below: 1 },
      queries: [{ expression: `count(${serviceMetric('build_info')})`, legend: 'instances' }],
    },
    {
      ...number,
      title: 'Alerts',
      description: 'Firing alerts of this service. docs/operations.md has a runbook for each, by name.',
      unit: 'short',
      bad: { above: 1 },
      queries: [
        {
          expression:
            'count(ALERTS{alertname=~"CertificateWebhooks.+",alertstate="firing",cluster=~"$cluster",namespace=~"$namespace"}) or vector(0)',
          legend: 'firing',
        },
      ],
    },
  ];
}

function freshness(): readonly PanelDefinition[] {
  return [
    {
      title: 'Burn rate of the budget',
      description: `The rate of late first attempts, as a multiple of the allowed rate. At 1 the budget lasts thirty days. Above ${fastBurn} over an hour, an alert pages somebody. Compare it with lag, rebalances and capacity at the time of the rise.`,
      unit: 'short',
      bad: { above: fastBurn },
      queries: windows.map((window) => ({
        expression: `${recordedSeries(recorded.lateRatio(window))} / ${lateBudget}`,
        legend: `over ${window}`,
      })),
    },
    {
      title: 'Delay of first attempts',
      description:
        'The time from the timestamp of a record to the start of its first attempt. A high median means that the service is behind with reading. Only a high 99th percentile means slow or paused subscribers: check the deferred deliveries.',
      unit: 's',
      bad: { above: promptSeconds },
      queries: [0.5, 0.9, 0.99].map((share) => ({
        expression: quantile(share, 'queue_delay_seconds'),
        legend: `${share * 100} %`,
      })),
    },
  ];
}

function certificates(): readonly PanelDefinition[] {
  return [
    {
      title: 'Settled certificates by result',
      description:
        'The results of the records of the certificate topics. Many retried: check the endpoints. unclaimed: the owner has no webhook. If there are suddenly many, check the configurations.',
      unit: 'cps',
      visualization: 'areas',
      queries: [
        { expression: rate(serviceMetric('records_settled_total', certificateTopics), 'result'), legend: '{{result}}' },
      ],
    },
    {
      title: 'Dead letters by reason',
      description:
        'Records in the dead-letter topic that a person must handle. For exhausted and expired, find the subscriber in the log (delivery.dead_lettered) and replay them once its endpoint works. The producer or we must fix all others.',
      unit: 'short',
      visualization: 'areas',
      queries: [{ expression: increase(serviceMetric('dead_letters_total'), 'reason'), legend: '{{reason}}' }],
    },
    {
      title: 'Certificates not settled yet',
      description:
        'Records between the committed offset and the end of the certificate topics. If it keeps growing, the service is too slow or stuck: check the partitions on the Kafka dashboard.',
      unit: 'short',
      queries: [
        {
          expression: `sum by (topic) (${serviceMetric('consumer_lag_records', certificateTopics)})`,
          legend: '{{topic}}',
        },
      ],
    },
    {
      title: 'Waiting for a retry',
      description:
        'Records in the retry topics. The number depends on how many subscribers fail, and for how long. If it rises steeply, check the outcomes of the attempts.',
      unit: 'short',
      visualization: 'areas',
      queries: [
        { expression: `sum by (topic) (${serviceMetric('consumer_lag_records', tiers)})`, legend: '{{topic}}' },
      ],
    },
  ];
}
