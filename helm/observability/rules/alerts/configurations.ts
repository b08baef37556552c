import { certificateTopics, deployment, process, recordedSeries, serviceMetric, text } from '../promql.ts';
import { recorded } from '../recordings.ts';
import type { Alert } from '../rule.ts';

/** Alerts about missing or wrong configurations, files and schemas. */
export const configurationAlerts: readonly Alert[] = [
  {
    name: 'NoConfigurations',
    severity: 'page',
    for: '5m',
    expression: noConfigurations(),
    summary: 'Certificates are read without any webhook configuration: nobody gets them.',
    description: text`
      {{ $value }} instances have partitions but know no enabled webhook configuration. The certificates they read are
      settled as unclaimed, and their subscribers never get them. Stop the service, unless nobody has subscribed yet. Then
      check whether the configurations topic is empty, not compacted or the wrong one, or whether the file is empty.
    `,
  },
  {
    name: 'FewerConfigurations',
    severity: 'page',
    for: '15m',
    expression: fewerConfigurations(),
    summary: 'Only {{ $value | humanizePercentage }} of the usual webhook configurations are active.',
    description: text`
      Many webhook configurations were removed, disabled or paused, or became invalid, compared with the median of the last
      day. Certificates of removed and disabled ones are settled as unclaimed or unsubscribed, and their subscribers never
      get them. Ask the platform whether it changed so many. If not, restore them and deliver again.
    `,
  },
  {
    name: 'MoreUnclaimed',
    severity: 'ticket',
    for: '30m',
    expression: moreUnclaimed(),
    summary: 'Far more certificates than usual are unclaimed: no configuration wants them.',
    description: text`
      The share of certificates with a subscriber is {{ $value | humanizePercentage }} of the median of the last day. Either
      webhook configurations are missing, or the platform writes other owner ids or events, or new owners have no webhooks.
      Unclaimed certificates are not delivered later by themselves.
    `,
  },
  {
    name: 'InvalidConfigurations',
    severity: 'ticket',
    for: '15m',
    expression: text`
      max by (${deployment}) (${serviceMetric('webhook_configurations', 'state="invalid"')})
      > 0 # threshold
    `,
    summary: '{{ $value }} webhook configurations are rejected.',
    description: text`
      Their deliveries wait in the retry topics, and become dead letters at DELIVERY_MAX_AGE. The log line
      configuration.refused names each of them with all its problems. The platform that writes them must fix them.
    `,
  },
  {
    name: 'ReloadFailed',
    severity: 'ticket',
    for: '10m',
    expression: `sum by (${deployment}) (increase(${serviceMetric('configuration_reload_failures_total')}[5m])) > 0`,
    summary: 'Changed files with configurations, keys or credentials cannot be used.',
    description: text`
      The last valid content stays in use, and the new content has no effect. The log line configurations.reload_failed or
      credentials.reload_failed names file and problem. An instance that restarts before the files are fixed will not start.
    `,
  },
  {
    name: 'SchemaRegistryFailing',
    severity: 'ticket',
    for: '10m',
    expression: `sum by (${deployment}, kind) (increase(${serviceMetric('schema_registry_failures_total')}[5m])) > 0`,
    summary: 'The service cannot get schemas from the registry ({{ $labels.kind }}).',
    description: text`
      Records with known schemas are delivered. A partition waits at its first record with an unknown schema. Nothing is
      lost within the retention of the topics. The log line schema_registry.failed says why. The log line schema.unknown
      names the schema id that the registry does not know.
    `,
  },
];

/** Ignores instances that read no certificates yet: they may have no configurations yet. */
function noConfigurations(): string {
  return text`
    count by (${deployment}) (
      sum by (${process}) (${serviceMetric('webhook_configurations', 'state!="disabled"')}) == 0
      and
      sum by (${process}) (${serviceMetric('assigned_partitions', certificateTopics)}) > 0
    )
  `;
}

/** At least five must be missing, so that a small platform may remove a few. */
function fewerConfigurations(): string {
  const active = recordedSeries(recorded.activeConfigurations);
  const usual = recordedSeries(recorded.usuallyActiveConfigurations);
  return text`
    ${active} / ${usual}
    < 0.7 # threshold
    and
    ${usual} - ${active} >= 5
  `;
}

/**
 * Compares the claimed share, not the unclaimed one. If nine of ten are always unclaimed, half of the configurations
 * change that share by a twentieth only. At least twenty certificates of the last hour must lack a subscriber.
 */
function moreUnclaimed(): string {
  const claimed = recordedSeries(recorded.claimed);
  const usual = recordedSeries(recorded.usuallyClaimed);
  const settled = serviceMetric('records_settled_total', certificateTopics);
  return text`
    ${claimed} / ${usual}
    < 0.7 # threshold
    and
    (${usual} - ${claimed}) * sum by (${deployment}) (increase(${settled}[1h])) >= 20
  `;
}
