import { anyMetric, certificateTopics, deployment, mostly, process, serviceMetric, text } from '../promql.ts';
import type { Alert } from '../rule.ts';

const byTopic = `by (${deployment}, topic)`;

/** Alerts about certificates that are not read, not settled, or lost. */
export const progressAlerts: readonly Alert[] = [
  {
    name: 'Absent',
    severity: 'page',
    for: '5m',
    expression: absent(),
    summary: 'No instance is running, or none can be scraped.',
    description: text`
      No instance of certificate-webhooks has answered a scrape for minutes. Either none runs and nothing is delivered, or
      Prometheus cannot reach them. Check whether the pods run, then the end of their logs, then the targets of Prometheus.
    `,
  },
  {
    name: 'NotSettling',
    severity: 'page',
    for: '5m',
    expression: notSettling(),
    summary: 'Certificates of {{ $labels.topic }} are not settled.',
    description: text`
      One of these is true for 15 minutes: records of {{ $labels.topic }} wait and none is settled; one partition is not
      read; one record blocks its partition; no instance reads the topic; no instance can ask for its lag. Failing
      subscribers are not the cause: their deliveries settle in a retry topic. Check /readyz and the warnings in the log.
      Most likely Kafka, the configurations topic or the schema registry is unreachable.
    `,
  },
  {
    name: 'OffsetReset',
    severity: 'page',
    expression: offsetReset(),
    summary: 'Certificates of {{ $labels.topic }} were lost: Kafka deleted them before they were read.',
    description: text`
      The committed offset of {{ $labels.topic }} pointed at deleted records, and reading continued after them. The log
      line offset.reset names partition, from, to and the number of lost records. Ask the producer to write them again.
      Then find out why the service was behind for longer than the retention of the topic.
    `,
  },
  {
    name: 'RetentionAtRisk',
    severity: 'page',
    for: '15m',
    expression: retentionAtRisk(),
    summary: 'The oldest unsettled certificate of {{ $labels.topic }} is {{ $value | humanizeDuration }} old.',
    description: text`
      Half of the retention of {{ $labels.topic }} has passed (the default threshold is half of seven days). Kafka deletes
      older records, read or not. Raise the retention of the topic first, then find out why the service is behind. If a
      backlog is read on purpose, there is nothing to do.
    `,
  },
];

/**
 * Fires for each deployment that ran in the last six hours, because a ruler may see several clusters. One that Prometheus has
 * never seen has no labels.
 */
function absent(): string {
  const running = serviceMetric('build_info');
  return text`
    (
      group by (${deployment}) (last_over_time(${running}[6h]))
      unless
      group by (${deployment}) (last_over_time(${running}[5m]))
    )
    or
    absent_over_time(${running}[6h])
  `;
}

/**
 * Fires on any of these conditions:
 *
 * - Records wait, and none of the topic is settled.
 * - A partition has records, but none of them was received.
 * - One record blocks its partition.
 * - No instance reads the topic, or none knows its lag.
 */
function notSettling(): string {
  const lag = serviceMetric('consumer_lag_records', certificateTopics);
  const settled = serviceMetric('records_settled_total', certificateTopics);
  const uncommitted = serviceMetric('uncommitted_records', certificateTopics);
  const oldest = serviceMetric('oldest_unsettled_record_timestamp_seconds');
  const assigned = serviceMetric('assigned_partitions', certificateTopics);
  return text`
    (
      ${mostly(`sum ${byTopic} (${lag}) > 0`, 10)}
      and
      sum ${byTopic} (increase(${settled}[10m])) == 0
    )
    or
    count ${byTopic} (
      ${mostly(`sum by (${deployment}, topic, partition) (${lag} > 0 and ${uncommitted} == 0)`, 10)}
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
 * Fires on an increase of the counter. For an instance younger than 30 minutes, it fires on any value. A reset at start
 * happens before the first scrape, so no increase is visible.
 */
function offsetReset(): string {
  const resets = serviceMetric('offset_resets_total');
  return text`
    sum ${byTopic} (increase(${resets}[30m])) > 0
    or
    sum ${byTopic} (
      ${resets}
      and on (${process})
      time() - ${anyMetric('process_start_time_seconds')} < 1800
    ) > 0
  `;
}

function retentionAtRisk(): string {
  const halfOfSevenDays = (7 * 24 * 3600) / 2;
  return text`
    max ${byTopic} (time() - ${serviceMetric('oldest_unsettled_record_timestamp_seconds')})
    > ${halfOfSevenDays} # threshold
  `;
}
