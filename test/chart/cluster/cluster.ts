import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { kubectlCommand } from '../../support/helm/tools.ts';
import { eventually } from '../../support/time/eventually.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { assertInstalled } from './installed.ts';

const run = promisify(execFile);
const token = 'may-do-everything';

/** The namespace of commands that name no other. */
export const namespace = 'learning';

/** A Kubernetes API server: it checks, completes and stores objects. It runs no pods. */
export interface Cluster extends AsyncDisposable {
  /** The path of a kubeconfig with all permissions. */
  readonly kubeconfig: string;
  /** Resolves with the output of kubectl. A warning is a failure. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
}

export async function startCluster(apiServer: string): Promise<Cluster> {
  await assertInstalled('etcd', 'etcd-server');
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const storePort = await findFreePorts(3);
  const port = storePort + 2;
  await writeFiles(folder, port);
  stack.use(await startProcess('etcd', storeFlags(folder, storePort)));
  stack.use(await startProcess(apiServer, serverFlags(folder, port, storePort)));
  const kubeconfig = join(folder, 'kubeconfig');
  const kubectl: Cluster['kubectl'] = async (args, input) => runKubectl([`--kubeconfig=${kubeconfig}`, ...args], input);
  const isReady = async (): Promise<boolean> =>
    kubectl(['get', '--raw=/readyz']).then(
      () => true,
      () => false,
    );
  await eventually('the API server is ready', isReady, { withinMs: 120_000, everyMs: 500 });
  const parts = stack.move();
  return { kubeconfig, kubectl, [Symbol.asyncDispose]: async () => parts.disposeAsync() };
}

function storeFlags(folder: string, port: number): readonly string[] {
  const [clients, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`];
  const data = `--data-dir=${join(folder, 'data')}`;
  return [data, `--listen-client-urls=${clients}`, `--advertise-client-urls=${clients}`, `--listen-peer-urls=${peers}`];
}

function serverFlags(folder: string, port: number, storePort: number): readonly string[] {
  const key = join(folder, 'key.pem');
  return [
    `--etcd-servers=http://127.0.0.1:${storePort}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    // No controller creates the service accounts of pods.
    '--disable-admission-plugins=ServiceAccount',
  ];
}

async function writeFiles(folder: string, port: number): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(join(folder, 'tokens.csv'), `${token},tester,tester,system:masters\n`);
  const cluster = { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
  };
  await writeFile(join(folder, 'kubeconfig'), stringify(kubeconfig), { mode: 0o600 });
}

async function startProcess(command: string, flags: readonly string[]): Promise<AsyncDisposable> {
  const child = spawn(command, flags, { stdio: 'ignore' });
  await once(child, 'spawn');
  const ended = once(child, 'close');
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function runKubectl(args: readonly string[], input = ''): Promise<string> {
  const running = run(await kubectlCommand(), ['--warnings-as-errors', ...args], { env: { HOME: '/nonexistent' } });
  running.child.stdin?.end(input);
  return (await running).stdout;
}
