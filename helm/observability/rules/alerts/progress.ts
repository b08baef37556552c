import { all, certificateTopics, deployment, ours, process, text } from '../promql.ts';
import type { Alert } from '../rule.ts';

const byTopic = `by (${deployment}, topic)`;

/** Whether certificates are read and settled at all, and none is lost before that. */
export const progressAlerts: readonly Alert[] = [
  {
    name: 'Absent',
    severity: 'page',
    for: '5m',
    expression: `absent_over_time(${ours('build_info')}[5m])`,
    summary: 'No instance is running, or none can be scraped.',
    description: text`
      No instance of certificate-webhooks has answered a scrape for minutes: no certificate is delivered, or nobody knows.
      Look whether its pods run, and at the last lines of their logs; then at the targets of Prometheus.
    `,
  },
  {
    name: 'NotSettling',
    severity: 'page',
    for: '5m',
    expression: notSettling(),
    summary: 'Certificates of {{ $labels.topic }} are not settled.',
    description: text`
      For a quarter of an hour records of {{ $labels.topic }} have waited and none was settled, or none of one partition was
      read, or one and the same record has held its partition back, or no instance reads the topic, or none can ask how far
      it is. Subscribers that fail are not the cause: what they do not take is settled in a retry topic. Look at /readyz
      and at the warnings in the log: Kafka, the configurations topic or the schema registry is most likely out of reach.
    `,
  },
  {
    name: 'OffsetReset',
    severity: 'page',
    expression: offsetReset(),
    summary: 'Certificates of {{ $labels.topic }} were lost: Kafka deleted them before they were read.',
    description: text`
      The position of {{ $labels.topic }} pointed at records that are no longer there, and reading went on behind them. The
      log line offset.reset tells partition, from, to and how many are lost. Ask the producer to write them again, and
      find out why the service was behind for longer than the topic is kept.
    `,
  },
  {
    name: 'RetentionAtRisk',
    severity: 'page',
    for: '15m',
    expression: retentionAtRisk(),
    summary: 'The oldest unsettled certificate of {{ $labels.topic }} is {{ $value | humanizeDuration }} old.',
    description: text`
      Half of the time for which {{ $labels.topic }} keeps its records has passed (the threshold is half of seven days
      unless it was set). What is older than that is deleted, read or not. Raise the retention of the topic first, then
      find out why the service is behind. While a backlog is read on purpose, there is nothing to do.
    `,
  },
];

/**
 * In turn: of the topic nothing is settled; a partition has records and none of it is under way; one record holds its
 * partition back; nobody reads, or knows how far.
 */
function notSettling(): string {
  const lag = ours('consumer_lag_records', certificateTopics);
  const settled = ours('records_settled_total', certificateTopics);
  const uncommitted = ours('uncommitted_records', certificateTopics);
  const oldest = ours('oldest_unsettled_record_timestamp_seconds');
  const assigned = ours('assigned_partitions', certificateTopics);
  return text`
    (
      sum ${byTopic} (min_over_time(${lag}[5m])) > 0
      and
      sum ${byTopic} (increase(${settled}[10m])) == 0
    )
    or
    count ${byTopic} (
      min_over_time(${lag}[10m]) > 0
      and
      max_over_time(${uncommitted}[10m]) == 0
    )
    or
    (
      min ${byTopic} (${oldest})
      ==
      min ${byTopic} (${oldest} offset 10m)
    )
    or
    (
      sum ${byTopic} (${assigned})
      unless
      count ${byTopic} (${lag})
    )
  `;
}

/**
 * An instance that resets its offset as it starts does so before its first scrape: of a young one the counter itself
 * counts, of all others its growth.
 */
function offsetReset(): string {
  const resets = ours('offset_resets_total');
  return text`
    sum ${byTopic} (increase(${resets}[30m])) > 0
    or
    sum ${byTopic} (
      ${resets}
      and on (${process})
      time() - ${all('process_start_time_seconds')} < 1800
    ) > 0
  `;
}

function retentionAtRisk(): string {
  const halfOfSevenDays = (7 * 24 * 3600) / 2;
  return text`
    max ${byTopic} (time() - ${ours('oldest_unsettled_record_timestamp_seconds')})
    > ${halfOfSevenDays} # threshold
  `;
}
