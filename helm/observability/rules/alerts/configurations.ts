import { certificateTopics, deployment, ours, process, text } from '../promql.ts';
import type { Alert } from '../rule.ts';

/** Whether the service knows whom to deliver to, and what it reads. */
export const configurationAlerts: readonly Alert[] = [
  {
    name: 'NoConfigurations',
    severity: 'page',
    for: '5m',
    expression: noConfigurations(),
    summary: 'Certificates are read although no webhook configuration is known: they go to nobody.',
    description: text`
      {{ $value }} instances have partitions assigned and know of no webhook configuration that is enabled. What they read
      is settled as unclaimed and is gone for its subscribers. Stop the service unless nobody is subscribed yet; then look
      whether the configurations topic was emptied, is not compacted or is the wrong one, or the file holds none.
    `,
  },
  {
    name: 'InvalidConfigurations',
    severity: 'ticket',
    for: '15m',
    expression: text`
      max by (${deployment}) (${ours('webhook_configurations', 'state="invalid"')})
      > 0 # threshold
    `,
    summary: '{{ $value }} webhook configurations are refused.',
    description: text`
      Their deliveries wait in the retry topics, and are buried once they are too old. The log line configuration.refused
      names each of them and everything that is wrong with it. Whoever writes the configurations has to correct them.
    `,
  },
  {
    name: 'ReloadFailed',
    severity: 'ticket',
    for: '10m',
    expression: `sum by (${deployment}) (increase(${ours('configuration_reload_failures_total')}[5m])) > 0`,
    summary: 'Files with configurations, keys or credentials have changed and can not be used.',
    description: text`
      The last good ones are kept, and new ones have no effect. The log line configurations.reload_failed, or
      credentials.reload_failed, tells file and problem. An instance that restarts before the files are correct does not start.
    `,
  },
  {
    name: 'SchemaRegistryFailing',
    severity: 'ticket',
    for: '10m',
    expression: `sum by (${deployment}, kind) (increase(${ours('schema_registry_failures_total')}[5m])) > 0`,
    summary: 'Schemas can not be had from the registry ({{ $labels.kind }}).',
    description: text`
      Records by schemas that are known are delivered; each partition waits in front of the first by another one. Nothing
      is lost as long as the topics keep it. The log line schema_registry.failed tells why, or schema.unknown which id it
      does not know.
    `,
  },
];

/** An instance that reads no certificates yet may well know no configurations yet. */
function noConfigurations(): string {
  return text`
    count by (${deployment}) (
      sum by (${process}) (${ours('webhook_configurations', 'state!="disabled"')}) == 0
      and
      sum by (${process}) (${ours('assigned_partitions', certificateTopics)}) > 0
    )
  `;
}
