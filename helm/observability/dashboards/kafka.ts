import type { DashboardPlan, PanelPlan } from './plan.ts';
import { increase, ours, rate } from './promql.ts';

export const kafka: DashboardPlan = {
  name: 'kafka',
  title: 'Kafka',
  description: 'Reading, committing and writing, by topic and partition.',
  rows: [
    { title: 'Reading', panels: reading() },
    { title: 'How far', panels: progress() },
    { title: 'The group', panels: group() },
    { title: 'Faults', panels: faults() },
  ],
};

function reading(): readonly PanelPlan[] {
  return [
    {
      title: 'Records read, by topic',
      description:
        'Records taken in, of certificate topics and tiers. Zero although there is lag: reading is paused or stands still.',
      unit: 'cps',
      width: 8,
      queries: [{ expression: rate(ours('records_consumed_total'), 'topic'), legend: '{{topic}}' }],
    },
    {
      title: 'Records settled, by topic',
      description:
        'It follows what is read, some seconds later. When it falls behind for long, deliveries or writes to Kafka are held up.',
      unit: 'cps',
      width: 8,
      queries: [{ expression: rate(ours('records_settled_total'), 'topic'), legend: '{{topic}}' }],
    },
    {
      title: 'Records passed over, by topic',
      description:
        'Settled before a restart or rebalance, and not delivered again. A burst after a restart is as it should be; at other times look for rebalances.',
      unit: 'cps',
      width: 8,
      queries: [{ expression: rate(ours('records_skipped_total'), 'topic'), legend: '{{topic}}' }],
    },
  ];
}

function progress(): readonly PanelPlan[] {
  return [
    {
      title: 'Lag, by partition',
      description:
        'Records from the commit to the end of the partition. One partition alone: a record holds it back, see the uncommitted ones. All partitions: too little capacity. That of tiers is what waits there.',
      unit: 'short',
      queries: [
        {
          expression: `max by (topic, partition) (${ours('consumer_lag_records')})`,
          legend: '{{topic}}/{{partition}}',
        },
      ],
    },
    {
      title: 'Read and not committed, by partition',
      description:
        'From the commit to the newest record read: what a crash would look at again. High in one partition: the oldest record there is not settled, by a slow endpoint for seconds, or because Kafka does not take a write.',
      unit: 'short',
      queries: [
        {
          expression: `max by (topic, partition) (${ours('uncommitted_records')})`,
          legend: '{{topic}}/{{partition}}',
        },
      ],
    },
    {
      title: 'Age of the oldest unsettled record',
      description:
        'A saw tooth below a minute is usual. A line that rises as fast as time passes is a record that is stuck; compare it with how long the topic keeps its records.',
      unit: 's',
      queries: [
        {
          expression: `max by (topic) (time() - ${ours('oldest_unsettled_record_timestamp_seconds')})`,
          legend: '{{topic}}',
        },
      ],
    },
    {
      title: 'Unread configurations',
      description:
        'Records of the configurations topic that an instance has yet to read. Certificates wait until it is zero; when it stays above, the brokers do not answer.',
      unit: 'short',
      queries: [{ expression: ours('webhook_configurations_lag_records'), legend: '{{instance}}' }],
    },
  ];
}

function group(): readonly PanelPlan[] {
  return [
    {
      title: 'Partitions, by instance',
      description:
        'Partitions assigned, of all topics. An instance without any is one too many, or could not join its groups: see /readyz and its log.',
      unit: 'short',
      width: 8,
      queries: [{ expression: `sum by (instance) (${ours('assigned_partitions')})`, legend: '{{instance}}' }],
    },
    {
      title: 'Paused partitions, by topic',
      description:
        'Assigned and not read at present because a limit is reached. Usual for tiers, which are read ahead. Of a certificate topic: see unsettled records and requests out.',
      unit: 'short',
      width: 8,
      queries: [{ expression: `sum by (topic) (${ours('paused_partitions')})`, legend: '{{topic}}' }],
    },
    {
      title: 'Rebalances, by instance',
      description:
        'Each consumer that joined its group, two for each instance that starts or stops. When they go on without a roll-out, look for instances that lose their session: processor time, memory, or the way to the brokers.',
      unit: 'short',
      width: 8,
      queries: [{ expression: increase(ours('rebalances_total'), 'instance'), legend: '{{instance}}' }],
    },
  ];
}

function faults(): readonly PanelPlan[] {
  return [
    {
      title: 'Failed writes, by kind',
      description:
        'Retries and dead letters that the brokers did not acknowledge; each is tried again. Some are usual when leaders move. When it goes on, handoff.failed in the log tells topic and cause.',
      unit: 'short',
      width: 8,
      queries: [{ expression: increase(ours('handoff_failures_total'), 'kind'), legend: '{{kind}}' }],
    },
    {
      title: 'Failed commits, by instance',
      description:
        'A later commit covers them. When they go on, a crash would repeat all since the last one: look for rebalances, and at commit.failed in the log.',
      unit: 'short',
      width: 8,
      queries: [{ expression: increase(ours('commit_failures_total'), 'instance'), legend: '{{instance}}' }],
    },
    {
      title: 'Offset resets, by topic',
      description:
        'Kafka deleted records before they were read: they are lost. The log line offset.reset tells how many; ask the producer to write them again.',
      unit: 'short',
      width: 8,
      bad: { above: 1 },
      queries: [{ expression: increase(ours('offset_resets_total'), 'topic'), legend: '{{topic}}' }],
    },
    {
      title: 'Questions to the schema registry without an answer, by kind',
      description:
        'Records whose schema is not known yet wait, and hold their partition back, until the registry answers. Zero where there is none. When it goes on, see whether the registry can be reached and takes the credentials.',
      unit: 'short',
      width: 24,
      queries: [{ expression: increase(ours('schema_registry_failures_total'), 'kind'), legend: '{{kind}}' }],
    },
  ];
}
