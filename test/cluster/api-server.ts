import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runScript, type Output } from '../pages/support/operations-shell.ts';
import { root } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import type { Values } from '../support/helm/helm.ts';
import { helmCommand, type HelmVersion } from '../support/helm/tools.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { endWithParent } from '../support/processes/end-with-parent.ts';
import { findProgram, type ProgramName } from '../support/programs/programs.ts';
import { eventually } from '../support/time/eventually.ts';

/** The API server of Kubernetes. It checks, completes and stores objects; nothing acts on them, so no pods run. */
export interface ApiServer extends AsyncDisposable {
  /** Runs a script in Bash, beside the folder `helm` of the repository and with these values in `values.yaml`. */
  run(script: string, values?: Values, helm?: HelmVersion): Promise<Output>;
}

export async function startApiServer(): Promise<ApiServer> {
  await using stack = new AsyncDisposableStack();
  const ports = await findFreePorts(3);
  const files = stack.use(await writeTemporaryFiles(filesFor(ports)));
  await symlink(join(root, 'helm'), files.path('helm'));
  const start = (name: ProgramName, flags: readonly string[]): void => {
    const [command = '', ...args] = [...endWithParent(), findProgram(name) ?? name, ...flags];
    const child = spawn(command, args, { stdio: 'ignore', cwd: files.root });
    const ended = once(child, 'close');
    stack.defer(async () => {
      child.kill('SIGKILL');
      await ended;
    });
  };
  const [clients, peers] = [`http://127.0.0.1:${ports}`, `http://127.0.0.1:${ports + 1}`];
  const urls = [`--listen-client-urls=${clients}`, `--advertise-client-urls=${clients}`, `--listen-peer-urls=${peers}`];
  start('etcd', ['--data-dir=etcd', '--unsafe-no-fsync', ...urls]);
  start('kube-apiserver', [`--etcd-servers=${clients}`, `--secure-port=${ports + 2}`, ...serverFlags]);
  const run: ApiServer['run'] = async (script, values, helm = 'helm-4.1.4') => {
    if (values !== undefined) await files.write('values.yaml', JSON.stringify(values));
    const programs = [await helmCommand(helm), findProgram('kubectl') ?? ''].map((path) => dirname(path)).join(':');
    return runScript(script, { programs, folder: files.root, environment: { KUBECONFIG: files.path('kubeconfig') } });
  };
  const isReady = async (): Promise<boolean> => (await run('kubectl get --raw /readyz')).code === 0;
  await eventually('the API server is ready', isReady, { everyMs: 500 });
  const owned = stack.move();
  return { run, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Its files are those of its folder. It has a certificate of its own making. */
const serverFlags = [
  '--bind-address=127.0.0.1',
  '--cert-dir=certificates',
  '--token-auth-file=tokens.csv',
  '--service-account-issuer=https://kubernetes.default.svc',
  '--service-account-key-file=accounts.key',
  '--service-account-signing-key-file=accounts.key',
  '--service-cluster-ip-range=10.0.0.0/24,fd00:10::/112',
];

function filesFor(ports: number): Readonly<Record<string, string>> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [name, token] = ['test', 'may-do-everything'];
  const cluster = { server: `https://127.0.0.1:${ports + 2}`, 'insecure-skip-tls-verify': true };
  const [clusters, users] = [[{ name, cluster }], [{ name, user: { token } }]];
  const contexts = [{ name, context: { cluster: name, user: name } }];
  return {
    'accounts.key': privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    'tokens.csv': `${token},tester,tester,system:masters\n`,
    kubeconfig: JSON.stringify({ 'current-context': name, clusters, users, contexts }),
  };
}
