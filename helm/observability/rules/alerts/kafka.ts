import { deployment, ours, text } from '../promql.ts';
import type { Alert } from '../rule.ts';

/** Between the service and the brokers. */
export const kafkaAlerts: readonly Alert[] = [
  {
    name: 'HandoffFailing',
    severity: 'page',
    for: '10m',
    // A leader that moves fails some writes and no more; what goes on failing fails once a minute at least.
    expression: `sum by (${deployment}, kind) (increase(${ours('handoff_failures_total')}[3m])) > 0`,
    summary: 'Writes to Kafka ({{ $labels.kind }}) keep failing.',
    description: text`
      Retries or dead letters are not acknowledged by the brokers. Nothing is lost: each write is tried again, and the
      offset waits for it, so certificates are held back until it works. The log line handoff.failed tells topic and
      cause: too few replicas in sync, no leader, no permission to write, or a topic that is gone.
    `,
  },
  {
    name: 'RebalanceStorm',
    severity: 'ticket',
    for: '30m',
    expression: text`
      max by (${deployment}) (increase(${ours('rebalances_total')}[15m]))
      > 5 # threshold
    `,
    summary: 'The instances keep rebalancing: {{ $value | humanize }} times in a quarter of an hour.',
    description: text`
      Each rebalance holds reading up for seconds, and repeats what is under way when a session was lost. A roll-out is
      over sooner than this. Look for instances that restart, that are starved of processor time, or whose connections to
      the brokers break (log lines consumer.joined and consumer.crashed), and whether something scales them up and down.
    `,
  },
];
