import { deliveredObjective, fastBurn, freshObjective, lateBudget } from '../rules/objectives.ts';
import { certificateTopics, promptSeconds, tiers } from '../rules/promql.ts';
import { recorded, windows } from '../rules/recordings.ts';
import type { DashboardPlan, PanelPlan } from './plan.ts';
import { increase, kept, ours, quantile, rate } from './promql.ts';

const number = { look: 'number', width: 4 } as const;

export const overview: DashboardPlan = {
  name: 'overview',
  title: 'Overview',
  description: 'Whether certificates reach their subscribers, and in time.',
  rows: [
    { title: 'Objectives, over thirty days, and at present', panels: [...objectives(), ...atPresent()] },
    { title: 'In time', panels: freshness() },
    { title: 'Certificates', panels: certificates() },
  ],
};

function objectives(): readonly PanelPlan[] {
  const [late, first, delivered, buried] = [recorded.late, recorded.first, recorded.delivered, recorded.buried].map(
    (record) => `sum(sum_over_time(${kept(record)}[30d]))`,
  );
  return [
    {
      ...number,
      title: 'First attempts in time',
      description: `The share of first attempts that started within ${promptSeconds} s of the record; the objective is ${freshObjective * 100} %. Deliveries that were put off before, because their subscriber was paused for example, do not count. Below the objective, see the burn rate for when the time was lost.`,
      unit: 'percentunit',
      decimals: 3,
      bad: { below: freshObjective },
      queries: [{ expression: `1 - ${late} / ${first}`, legend: 'in time' }],
    },
    {
      ...number,
      title: 'Budget left',
      description:
        'How much of what may start late in thirty days is not used up. When it nears zero, put changes off and mend what makes the service late.',
      unit: 'percentunit',
      decimals: 1,
      bad: { below: 0.25 },
      queries: [{ expression: `1 - ${late} / (${lateBudget} * ${first})`, legend: 'budget left' }],
    },
    {
      ...number,
      title: 'Deliveries that arrived',
      description: `Of the deliveries that ended, the share that ended with a 2xx and not in the dead-letter topic; the objective is ${deliveredObjective * 100} %. Below it, see the dead letters by reason: most are their subscribers' to mend.`,
      unit: 'percentunit',
      decimals: 2,
      bad: { below: deliveredObjective },
      queries: [{ expression: `${delivered} / (${delivered} + ${buried})`, legend: 'arrived' }],
    },
  ];
}

function atPresent(): readonly PanelPlan[] {
  return [
    {
      ...number,
      title: 'Oldest unsettled certificate',
      description:
        'The age of the oldest record that was read and is not settled. It is a minute at most while subscribers are slow; when it grows, the service is behind or stuck: see lag and uncommitted records on the Kafka dashboard.',
      unit: 's',
      bad: { above: promptSeconds },
      queries: [{ expression: `max(${kept(recorded.oldestAge)}) or vector(0)`, legend: 'oldest' }],
    },
    {
      ...number,
      title: 'Instances',
      description: 'Instances that answer scrapes. When there are fewer than you have started, look at their logs.',
      unit: 'short',
      bad: { below: 1 },
      queries: [{ expression: `count(${ours('build_info')})`, legend: 'instances' }],
    },
    {
      ...number,
      title: 'Alerts',
      description: 'Alerts of this service that fire. Each has a runbook, by its name, in docs/operations.md.',
      unit: 'short',
      bad: { above: 1 },
      queries: [
        {
          expression:
            'count(ALERTS{alertname=~"CertificateWebhooks.+",alertstate="firing",namespace=~"$namespace"}) or vector(0)',
          legend: 'firing',
        },
      ],
    },
  ];
}

function freshness(): readonly PanelPlan[] {
  return [
    {
      title: 'Burn rate of the budget',
      description: `How many times faster than allowed first attempts start late; at 1 the budget lasts thirty days. Above ${fastBurn} over an hour somebody is paged. Compare with lag, rebalances and capacity at the time when it rose.`,
      unit: 'short',
      bad: { above: fastBurn },
      queries: windows.map((window) => ({
        expression: `${kept(recorded.lateRatio(window))} / ${lateBudget}`,
        legend: `over ${window}`,
      })),
    },
    {
      title: 'Delay of first attempts',
      description:
        'From the timestamp of a record to the start of its first attempt. A high median means that the service is behind with reading. A high 99th percentile alone comes from slow or paused subscribers: see deliveries that are put off.',
      unit: 's',
      bad: { above: promptSeconds },
      queries: [0.5, 0.9, 0.99].map((share) => ({
        expression: quantile(share, 'queue_delay_seconds'),
        legend: `${share * 100} %`,
      })),
    },
  ];
}

function certificates(): readonly PanelPlan[] {
  return [
    {
      title: 'Settled certificates, by result',
      description:
        'What became of the records of the certificate topics. Many retried: see the endpoints. Unclaimed ones belong to owners without a webhook; if there are suddenly many, see the configurations.',
      unit: 'cps',
      look: 'areas',
      queries: [{ expression: rate(ours('records_settled_total', certificateTopics), 'result'), legend: '{{result}}' }],
    },
    {
      title: 'Dead letters, by reason',
      description:
        "Records that wait for a person in the dead-letter topic. For exhausted and expired, find the subscriber in the log (delivery.dead_lettered) and replay them once its endpoint works; all others are the producer's or ours to mend.",
      unit: 'short',
      look: 'areas',
      queries: [{ expression: increase(ours('dead_letters_total'), 'reason'), legend: '{{reason}}' }],
    },
    {
      title: 'Certificates not settled yet',
      description:
        'Records between the commit and the end of the certificate topics. When it keeps growing, the service is too slow or stuck: see the Kafka dashboard, by partition.',
      unit: 'short',
      queries: [
        { expression: `sum by (topic) (${ours('consumer_lag_records', certificateTopics)})`, legend: '{{topic}}' },
      ],
    },
    {
      title: 'Waiting for another attempt',
      description:
        'Records in the retry topics. It follows how many subscribers fail, and for how long; when it rises steeply, see which outcome their attempts have.',
      unit: 'short',
      look: 'areas',
      queries: [{ expression: `sum by (topic) (${ours('consumer_lag_records', tiers)})`, legend: '{{topic}}' }],
    },
  ];
}
