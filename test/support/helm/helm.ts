import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../files/sources.ts';
import { helmCommand, type HelmVersion } from './tools.ts';

const run = promisify(execFile);

export const chartFolder = join(root, 'helm', 'certificate-webhooks');

export type Values = Readonly<Record<string, unknown>>;

export interface HelmOptions {
  readonly helm?: HelmVersion;
  readonly chart?: string;
  readonly release?: string;
  readonly namespace?: string;
  readonly kubeVersion?: string;
  /** Of a cluster that has custom resources, such as `keda.sh/v1alpha1`. */
  readonly apiVersions?: readonly string[];
}

/** What Helm would send to the cluster, as text. Throws a `HelmError` when it refuses, or has something to say. */
export async function template(values: Values, options: HelmOptions = {}): Promise<string> {
  return helm(['template', ...target(options), ...cluster(options)], values, options);
}

/** What Helm 4 tells somebody who has installed the chart; Helm 3 says nothing without a cluster. */
export async function notes(values: Values, options: HelmOptions = {}): Promise<string> {
  const told = await helm(['install', ...target(options), '--dry-run=client'], values, options);
  return told.slice(told.indexOf('\nNOTES:\n') + '\nNOTES:\n'.length);
}

/** Resolves to what `helm lint` says when it has nothing to object. */
export async function lint(values: Values, options: HelmOptions = {}): Promise<string> {
  const kubeVersion = options.kubeVersion === undefined ? [] : ['--kube-version', options.kubeVersion];
  return helm(['lint', '--strict', options.chart ?? chartFolder, ...kubeVersion], values, options);
}

/** Helm's own words for why it does not do what it is told. */
export class HelmError extends Error {
  override readonly name = 'HelmError';
}

function target({ chart = chartFolder, release = 'hooks', namespace = 'learning' }: HelmOptions): readonly string[] {
  return [release, chart, '--namespace', namespace];
}

function cluster({ kubeVersion = '1.34.0', apiVersions = [] }: HelmOptions): readonly string[] {
  return ['--kube-version', kubeVersion, ...apiVersions.flatMap((version) => ['--api-versions', version])];
}

/** Values go in as a file would, on standard input. */
async function helm(
  args: readonly string[],
  values: Values,
  { helm: version = 'helm-4.1.4' }: HelmOptions,
): Promise<string> {
  const running = run(await helmCommand(version), [...args, '--values', '-'], {
    // Whatever cluster, cache and plugins the user of this machine has, they are not asked.
    env: { HOME: '/nonexistent', KUBECONFIG: '/nonexistent' },
    maxBuffer: 64 * 1024 ** 2,
  });
  running.child.stdin?.end(JSON.stringify(values));
  const { stdout, stderr } = await running.catch(refused);
  if (stderr !== '') throw new HelmError(stderr);
  return stdout;
}

function refused(error: unknown): never {
  const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
  throw new HelmError(`${stdout}${stderr}`.trim());
}
