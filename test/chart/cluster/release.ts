import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chartFolder, type Values } from '../../support/helm/helm.ts';
import { helmCommand, type HelmVersion } from '../../support/helm/tools.ts';
import type { Cluster } from './cluster.ts';

const run = promisify(execFile);

/** A release of the chart, controlled through Helm. */
interface Release {
  /** Installs the release, or upgrades it. */
  upgrade(values: Values): Promise<void>;
  rollback(revision: number): Promise<void>;
  uninstall(): Promise<void>;
}

export function releaseIn({ kubeconfig }: Cluster, version: HelmVersion, name: string): Release {
  const helm = async (args: readonly string[], input = ''): Promise<void> => {
    const running = run(await helmCommand(version), [...args, `--kubeconfig=${kubeconfig}`], {
      env: { HOME: '/nonexistent' },
    });
    running.child.stdin?.end(input);
    await running;
  };
  return {
    upgrade: async (values) => helm(['upgrade', '--install', name, chartFolder, '--values=-'], JSON.stringify(values)),
    rollback: async (revision) => helm(['rollback', name, String(revision)]),
    uninstall: async () => helm(['uninstall', name]),
  };
}
