import type { ServiceProcess } from '../../support/service/service-process.ts';

/**
 * Returns what `kubectl get pods` prints on standard output: nothing without pods. A process that has ended is a container
 * that is restarted again and again.
 */
export function listPods(pods: ReadonlyMap<string, ServiceProcess>, ready: ReadonlySet<ServiceProcess>): string {
  if (pods.size === 0) return '';
  const rows = [...pods].map(([name, pod]) => {
    const status = pod.exit === undefined ? 'Running' : 'CrashLoopBackOff';
    return `${name}   ${ready.has(pod) ? 1 : 0}/1     ${status}\n`;
  });
  return `NAME                     READY   STATUS\n${rows.join('')}`;
}

/** Returns what `kubectl get deployment` prints. */
export function listDeployment(ready: number, replicas: number): string {
  return `NAME                   READY\ncertificate-webhooks   ${ready}/${replicas}\n`;
}

/** Returns the part of `kubectl describe pod` about its container. */
export function describePod(name: string, { exit }: ServiceProcess): string {
  const state = exit === undefined ? ['Running'] : ['Waiting', '  Reason:       CrashLoopBackOff'];
  const code = exit?.code ?? 137;
  const last = ['    Last State:     Terminated', '      Reason:       Error', `      Exit Code:    ${code}`];
  const lines = [
    `Name:             ${name}`,
    `    State:          ${state.join('\n    ')}`,
    ...(exit === undefined ? [] : last),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
