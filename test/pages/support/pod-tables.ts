import type { ServiceProcess } from '../../support/service/service-process.ts';

/**
 * Returns what `kubectl get pods` prints on standard output: nothing without pods. A process that has ended is a container
 * that is restarted again and again.
 */
export function listPods(pods: ReadonlyMap<string, ServiceProcess>): string {
  if (pods.size === 0) return '';
  const rows = [...pods].map(
    ([name, { exit }]) => `${name}   ${exit === undefined ? 'Running' : 'CrashLoopBackOff'}\n`,
  );
  return `NAME   STATUS\n${rows.join('')}`;
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
