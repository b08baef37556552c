import type { DashboardDefinition, PanelDefinition } from './definition.ts';
import { increase, serviceMetric, rate } from './promql.ts';

export const kafka: DashboardDefinition = {
  name: 'kafka',
  title: 'Kafka',
  description: 'Reading, committing and writing, by topic and partition.',
  rows: [
    { title: 'Reading', panels: reading() },
    { title: 'Progress', panels: progress() },
    { title: 'Consumer groups', panels: group() },
    { title: 'Faults', panels: faults() },
  ],
};

function reading(): readonly PanelDefinition[] {
  return [
    {
      title: 'Records read by topic',
      description:
        'Records read from the certificate topics and the retry topics. If it is zero although there is lag, reading is paused or stalled.',
      unit: 'cps',
      width: 8,
      queries: [{ expression: rate(serviceMetric('records_consumed_total'), 'topic'), legend: '{{topic}}' }],
    },
    {
      title: 'Records settled by topic',
      description:
        'It follows the records read by a few seconds. If it stays behind, deliveries or writes to Kafka are blocked.',
      unit: 'cps',
      width: 8,
      queries: [{ expression: rate(serviceMetric('records_settled_total'), 'topic'), legend: '{{topic}}' }],
    },
    {
      title: 'Records skipped by topic',
      description:
        'Records settled before a restart or rebalance, and not delivered again. A burst after a restart is normal. At other times, check for rebalances.',
      unit: 'cps',
      width: 8,
      queries: [{ expression: rate(serviceMetric('records_skipped_total'), 'topic'), legend: '{{topic}}' }],
    },
  ];
}

function progress(): readonly PanelDefinition[] {
  return [
    {
      title: 'Lag by partition',
      description:
        'Records from the committed offset to the end of the partition. High in one partition: a record blocks it, see the next panel. High in all partitions: too little capacity. Lag of retry topics is normal.',
      unit: 'short',
      queries: [
        {
          expression: `max by (topic, partition) (${serviceMetric('consumer_lag_records')})`,
          legend: '{{topic}}/{{partition}}',
        },
      ],
    },
    {
      title: 'Read but not committed, by partition',
      description:
        'Records from the committed offset to the newest record read. A crash would repeat at most these. High in one partition: its oldest record is not settled, because an endpoint is slow or Kafka rejects a write.',
      unit: 'short',
      queries: [
        {
          expression: `max by (topic, partition) (${serviceMetric('uncommitted_records')})`,
          legend: '{{topic}}/{{partition}}',
        },
      ],
    },
    {
      title: 'Age of the oldest unsettled record',
      description:
        'A saw-tooth line below a minute is normal. A line that rises one second per second means a stuck record. Compare it with the retention of the topic.',
      unit: 's',
      queries: [
        {
          expression: `max by (topic) (time() - ${serviceMetric('oldest_unsettled_record_timestamp_seconds')})`,
          legend: '{{topic}}',
        },
      ],
    },
    {
      title: 'Unread configurations',
      description:
        'Records of the configurations topic that an instance has not read yet. Certificates wait until it is zero. If it stays above zero, the brokers do not answer.',
      unit: 'short',
      queries: [{ expression: serviceMetric('webhook_configurations_lag_records'), legend: '{{instance}}' }],
    },
  ];
}

function group(): readonly PanelDefinition[] {
  return [
    {
      title: 'Partitions by instance',
      description:
        'Assigned partitions of all topics. An instance without partitions is superfluous, or could not join its groups: check its /readyz and its log.',
      unit: 'short',
      queries: [{ expression: `sum by (instance) (${serviceMetric('assigned_partitions')})`, legend: '{{instance}}' }],
    },
    {
      title: 'Rebalances by instance',
      description:
        'Consumers that joined their group: two for each instance that starts or stops. If they continue without a rollout, look for instances that lose their session: check CPU, memory and the network to the brokers.',
      unit: 'short',
      queries: [{ expression: increase(serviceMetric('rebalances_total'), 'instance'), legend: '{{instance}}' }],
    },
    {
      title: 'Paused partitions by topic and reason',
      description:
        'Assigned partitions that are not read on, and why. This is normal for retry topics, which are read ahead. For a certificate topic, the runbook of CertificateWebhooksSaturated says for each reason what to do.',
      unit: 'short',
      width: 24,
      queries: [
        {
          expression: `sum by (topic, reason) (${serviceMetric('paused_partitions')})`,
          legend: '{{topic}}: {{reason}}',
        },
      ],
    },
  ];
}

function faults(): readonly PanelDefinition[] {
  return [
    {
      title: 'Failed writes by kind',
      description:
        'Retries, dead letters and results that the brokers did not acknowledge. Each write is retried. Some failures are normal when partition leaders change. If they continue, handoff.failed in the log names topic and cause.',
      unit: 'short',
      width: 8,
      queries: [{ expression: increase(serviceMetric('handoff_failures_total'), 'kind'), legend: '{{kind}}' }],
    },
    {
      title: 'Failed commits by instance',
      description:
        'A later commit covers them. If they continue, a crash would repeat everything since the last commit: check for rebalances, and for commit.failed in the log.',
      unit: 'short',
      width: 8,
      queries: [{ expression: increase(serviceMetric('commit_failures_total'), 'instance'), legend: '{{instance}}' }],
    },
    {
      title: 'Offset resets by topic',
      description:
        'Kafka deleted records before they were read: they are lost. The log line offset.reset says how many. Ask the producer to write them again.',
      unit: 'short',
      width: 8,
      bad: { above: 1 },
      queries: [{ expression: increase(serviceMetric('offset_resets_total'), 'topic'), legend: '{{topic}}' }],
    },
    {
      title: 'Records without a commit, by topic',
      description:
        'The group had no commit in any of its topics, so these records are read from their start, although they may have been delivered. Of retry topics, each is one more request: the log line commit.missing.',
      unit: 'short',
      width: 8,
      bad: { above: 1 },
      queries: [{ expression: increase(serviceMetric('records_without_commit_total'), 'topic'), legend: '{{topic}}' }],
    },
    {
      title: 'Retry topics not written to',
      description:
        'They are missing, compacted, or keep records for less than DELIVERY_MAX_AGE. Retries go to the others, and wait while there is none. The line in /readyz, or the log line topics.missing, says how to fix it.',
      unit: 'short',
      width: 8,
      bad: { above: 1 },
      queries: [{ expression: serviceMetric('unsafe_tiers'), legend: '{{instance}}' }],
    },
    {
      title: 'Failed requests to the schema registry, by kind',
      description:
        'Records with an unknown schema wait and block their partition until the registry answers. Always zero without a registry. If failures continue, check that the registry is reachable and accepts the credentials.',
      unit: 'short',
      width: 24,
      queries: [{ expression: increase(serviceMetric('schema_registry_failures_total'), 'kind'), legend: '{{kind}}' }],
    },
  ];
}
