import { certificateTopics, deployment, serviceMetric, process, text } from '../promql.ts';
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
