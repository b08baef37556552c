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
  /** API versions of custom resources in the cluster, such as `keda.sh/v1alpha1`. */
  readonly apiVersions?: readonly string[];
}

/** Renders the chart as YAML. Throws a `HelmError` when Helm fails or prints a warning. */
export async function template(values: Values, options: HelmOptions = {}): Promise<string> {
  return helm(['template', ...target(options), ...cluster(options)], values, options);
}

/** Returns the notes that Helm 4 prints after an installation. Helm 3 prints none without a cluster. */
export async function notes(values: Values, options: HelmOptions = {}): Promise<string> {
  const output = await helm(['install', ...target(options), '--dry-run=client'], values, options);
  return output.slice(output.indexOf('\nNOTES:\n') + '\nNOTES:\n'.length);
}

/** Runs `helm lint --strict` and returns its output. */
export async function lint(values: Values, options: HelmOptions = {}): Promise<string> {
  const kubeVersion = options.kubeVersion === undefined ? [] : ['--kube-version', options.kubeVersion];
  return helm(['lint', '--strict', options.chart ?? chartFolder, ...kubeVersion], values, options);
}

/** Helm failed. The message is its output. */
class HelmError extends Error {
  override readonly name = 'HelmError';
}

function target({ chart = chartFolder, release = 'hooks', namespace = 'learning' }: HelmOptions): readonly string[] {
  return [release, chart, '--namespace', namespace];
}

function cluster({ kubeVersion = '1.34.0', apiVersions = [] }: HelmOptions): readonly string[] {
  return ['--kube-version', kubeVersion, ...apiVersions.flatMap((version) => ['--api-versions', version])];
}

/** The answers of Helm in this process, by its arguments and values. No test writes to a chart that it has rendered. */
const answers = new Map<string, Promise<string>>();

/** Runs Helm, once for the same arguments and values. */
async function helm(
  args: readonly string[],
  values: Values,
  { helm: version = 'helm-4.1.4' }: HelmOptions,
): Promise<string> {
  const key = JSON.stringify([version, args, values]);
  const answer = answers.get(key) ?? runHelm(version, args, values);
  answers.set(key, answer);
  return answer;
}

/** Runs Helm with the values on standard input. */
async function runHelm(version: HelmVersion, args: readonly string[], values: Values): Promise<string> {
  const running = run(await helmCommand(version), [...args, '--values', '-'], { env, maxBuffer: 64 * 1024 ** 2 });
  running.child.stdin?.end(JSON.stringify(values));
  const { stdout, stderr } = await running.catch(throwHelmError);
  if (stderr !== '') throw new HelmError(stderr);
  return stdout;
}

const env = {
  // The cluster, cache and plugins of the user are not used.
  HOME: '/nonexistent',
  KUBECONFIG: '/nonexistent',
  // A rendering takes 90 MB without garbage collection, and a fifth less processor time.
  GOGC: 'off',
  GOMAXPROCS: '1',
};

function throwHelmError(error: unknown): never {
  const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
  throw new HelmError(`${stdout}${stderr}`.trim());
}
