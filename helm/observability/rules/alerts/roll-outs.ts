import { deployment, deploymentMetric, serviceMetric, text } from '../promql.ts';
import type { Alert } from '../rule.ts';

/** Alerts about roll-outs that do not end. */
export const rollOutAlerts: readonly Alert[] = [
  {
    name: 'MixedVersions',
    severity: 'ticket',
    for: '1h',
    expression: `count by (${deployment}) (count by (${deployment}, version) (${serviceMetric('build_info')})) > 1`,
    summary: '{{ $value }} versions of the service have run side by side for an hour.',
    description: text`
      A roll-out or a roll-back has stopped halfway, or two deployments share one job. Certificates are delivered, but
      settings and fixes of the new version hold for some partitions only. Check kubectl rollout status, then the pods.
    `,
  },
  {
    name: 'RollOutStuck',
    severity: 'ticket',
    for: '5m',
    // Without kube-state-metrics the metric does not exist, and the alert is silent.
    expression: text`
      max by (cluster, namespace, deployment) (
        ${deploymentMetric('kube_deployment_status_condition', 'condition="Progressing"', 'status="false"')}
      ) > 0
    `,
    summary: 'The roll-out of {{ $labels.deployment }} makes no progress.',
    description: text`
      Kubernetes has given up waiting for a new pod (progressDeadlineSeconds). The old pods go on. Check the events of the
      new pod, then its log: it cannot be scheduled, its image is missing, it exits, or it does not become ready. Fix the
      cause, or roll back.
    `,
  },
];
