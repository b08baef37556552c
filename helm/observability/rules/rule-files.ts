import { stringify } from 'yaml';
import { capacityAlerts } from './alerts/capacity.ts';
import { configurationAlerts } from './alerts/configurations.ts';
import { delayAlerts } from './alerts/delays.ts';
import { deliveryAlerts } from './alerts/deliveries.ts';
import { kafkaAlerts } from './alerts/kafka.ts';
import { progressAlerts } from './alerts/progress.ts';
import { recordings } from './recordings.ts';
import { alertName, runbook, type Alert, type Recording } from './rule.ts';

/** By group. */
export const alerts = {
  progress: progressAlerts,
  delays: delayAlerts,
  kafka: kafkaAlerts,
  deliveries: deliveryAlerts,
  configurations: configurationAlerts,
  capacity: capacityAlerts,
} as const;

/** The rule files of Prometheus by name. */
export function ruleFiles(): Readonly<Record<string, string>> {
  const alertGroups = Object.entries(alerts).map(([name, rules]) => group(name, rules.map(alertRule)));
  return {
    'recording.yaml': ruleFile([group('recordings', recordings.map(recordingRule))]),
    'alerts.yaml': ruleFile(alertGroups),
  };
}

function group(name: string, rules: readonly object[]): object {
  return { name: `certificate-webhooks.${name}`, rules };
}

function recordingRule({ record, expression }: Recording): object {
  return { record, expr: expression };
}

function alertRule(alert: Alert): object {
  return {
    alert: alertName(alert),
    expr: alert.expression,
    ...(alert.for === undefined ? {} : { for: alert.for }),
    labels: { severity: alert.severity },
    annotations: {
      summary: alert.summary,
      description: alert.description.replaceAll('\n', ' '),
      runbook_url: runbook(alert),
    },
  };
}

function ruleFile(groups: readonly object[]): string {
  const origin = '# Written by `npm run generate:dashboards` from helm/observability/rules.\n';
  return origin + stringify({ groups }, { lineWidth: 0, blockQuote: 'literal' });
}
