import { deployment, serviceMetric, text } from '../promql.ts';
import type { Alert } from '../rule.ts';

/** Alerts about the connection between the service and the brokers. */
export const kafkaAlerts: readonly Alert[] = [
  {
    name: 'HandoffFailing',
    severity: 'page',
    for: '10m',
    // A leader change fails only a few writes. A lasting fault fails at least one write per minute.
    expression: `sum by (${deployment}, kind) (increase(${serviceMetric('handoff_failures_total')}[3m])) > 0`,
    summary: 'Writes to Kafka ({{ $labels.kind }}) keep failing.',
    description: text`
      The brokers do not acknowledge retries, dead letters or results. Nothing is lost: each write is retried, and the offset is
      committed only afterwards. Certificates wait until writes succeed. The log line handoff.failed names topic and
      cause: too few in-sync replicas, no leader, no permission to write, or a deleted topic.
    `,
  },
  {
    name: 'RebalanceStorm',
    severity: 'ticket',
    for: '30m',
    expression: text`
      max by (${deployment}) (increase(${serviceMetric('rebalances_total')}[15m]))
      > 5 # threshold
    `,
    summary: 'The instances keep rebalancing: {{ $value | humanize }} times in 15 minutes.',
    description: text`
      Each rebalance stops reading for seconds. If a session was lost, deliveries in flight are repeated. A rollout is
      shorter than this. Look for instances that restart, lack CPU, or lose their connections to the brokers (log lines
      consumer.joined and consumer.crashed). Check whether an autoscaler keeps changing their number.
    `,
  },
];
