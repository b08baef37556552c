import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { eventually } from '../../support/time/eventually.ts';
import type { Environment } from '../../../src/settings.ts';
import { root } from '../../support/files/sources.ts';
import { LocalSecrets } from './local-secrets.ts';
import { describePod, listDeployment, listPods } from './pod-tables.ts';
import { present, renderRevision, type Revision } from './revision.ts';

export const selector =
  'app.kubernetes.io/instance=certificate-webhooks,app.kubernetes.io/name=certificate-webhooks,app.kubernetes.io/component=service';

/** The names in the working folder of the image, without its bill of materials. */
const ofImage = ['src', 'package.json', 'node_modules'] as const;

/** The ports of pods, which they take in turn: more than run at the same time. */
const podPorts = 9;

/** The answer to a command of kubectl or Helm. */
export interface Reply {
  readonly code: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** The command that the caller runs in place of `kubectl exec`. */
  readonly run?: {
    readonly command: readonly string[];
    readonly environment: Environment;
    /** The working folder of the image. */
    readonly folder: string;
    /** True if it reads the input of the caller. */
    readonly withInput: boolean;
  };
}

/**
 * A release of the chart whose pods are processes of this machine. It understands the commands of kubectl and Helm that the
 * pages show, and fails on others. Helm itself renders the Deployment, and pods get its environment. What runs in a pod is
 * what the image holds.
 */
export class LocalRelease implements AsyncDisposable {
  readonly #folder: string;
  readonly #overrides: Environment;
  readonly #secrets: LocalSecrets;
  readonly #pods = new Map<string, ServiceProcess>();
  /** The ports of pods. A container has the port of the page. */
  readonly #ports = new Map<ServiceProcess, number>();
  readonly #ended: ServiceProcess[] = [];
  readonly #revisions: Revision[] = [];
  #replicas = 0;
  #count = 0;
  #port = 0;

  /** `overrides` are settings that differ between a pod and a process, such as the port. */
  constructor(options: { readonly folder: string; readonly overrides: Environment }) {
    this.#folder = options.folder;
    this.#overrides = options.overrides;
    this.#secrets = new LocalSecrets(join(options.folder, 'secrets'));
  }

  get #image(): string {
    return join(this.#folder, 'image');
  }

  get pods(): readonly ServiceProcess[] {
    return [...this.#pods.values()];
  }

  /** Answers the stand-ins over HTTP. Resolves to the URL. */
  async listen(stack: AsyncDisposableStack): Promise<string> {
    const server = createServer((request, response) => {
      const { url = '' } = request;
      const answer = async (): Promise<unknown> =>
        url.startsWith('/endpoints') ? this.#endpoints(url) : this.#answer(JSON.parse(await text(request)) as Call);
      void answer()
        .catch((error: unknown) => ({ code: 1, stderr: `${String(error)}\n` }))
        .then((reply) => response.setHeader('connection', 'close').end(JSON.stringify(reply)));
    });
    // While the first port is taken, others who look for neighbouring ports leave those of the pods alone.
    this.#port = await findFreePorts(1 + podPorts);
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    stack.defer(() => void server.close());
    await mkdir(this.#image);
    for (const name of ofImage) await symlink(join(root, name), join(this.#image, name));
    return `http://127.0.0.1:${this.#port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.pods, ...this.#ended].map((pod) => pod[Symbol.asyncDispose]()));
  }

  async #answer({ tool, args, folder, input }: Call): Promise<Reply> {
    if (tool === 'helm') return this.#helm(args, folder);
    return this.#kubectl(
      args.filter((arg, index) => arg !== '-n' && args[index - 1] !== '-n'),
      input,
    );
  }

  async #helm([verb = '', ...args]: readonly string[], folder: string): Promise<Reply> {
    if (verb === 'history') return { code: 0, stdout: this.#revisions.map((_, index) => `${index + 1}\n`).join('') };
    if (verb === 'get' && args[0] === 'values')
      return { code: 0, stdout: `USER-SUPPLIED VALUES:\n${stringify(present(this.#revisions.at(-1)).values)}` };
    if (verb === 'rollback') this.#revisions.push(present(this.#revisions.at(-2)));
    else if (verb === 'upgrade')
      this.#revisions.push(
        await renderRevision(args, { folder, secretFile: (secret, key) => this.#secrets.file(secret, key) }),
      );
    else return notPlayed(['helm', verb]);
    this.#replicas = present(this.#revisions.at(-1)).replicas;
    if (!(await this.#replaceAll())) return { code: 1, stderr: 'Error: context deadline exceeded\n' };
    return { code: 0, stdout: `Release "certificate-webhooks" has revision ${this.#revisions.length}\n` };
  }

  async #kubectl(args: readonly string[], input: string): Promise<Reply> {
    const [verb = '', object = '', ...rest] = args;
    switch (verb) {
      case 'exec':
        return this.#exec(args);
      case 'wait':
        return { code: this.#pods.size === 0 ? 0 : 1 };
      case 'scale':
        this.#replicas = Number(rest[rest.indexOf('--replicas') + 1]);
        await this.#reach();
        return { code: 0, stdout: `${object} scaled\n` };
      case 'rollout':
        if (object === 'restart') await this.#replaceAll();
        await Promise.all(this.pods.map((pod) => pod.ready()));
        return { code: 0, stdout: 'deployment "certificate-webhooks" successfully rolled out\n' };
      case 'get':
        return this.#get(args);
      case 'describe':
        return { code: 0, stdout: [...this.#pods].map(([name, pod]) => describePod(name, pod)).join('\n') };
      case 'logs':
        return this.#logs(args);
      case 'delete':
        await Promise.all((args.includes(selector) ? [...this.#pods.keys()] : rest).map((name) => this.#end(name)));
        await this.#reach();
        return { code: 0, stdout: `${object} deleted\n` };
      case 'create':
        return this.#secrets.create(args);
      case 'apply':
        return this.#secrets.apply(input);
      default:
        return notPlayed(['kubectl', ...args]);
    }
  }

  #exec(args: readonly string[]): Reply {
    const separator = args.indexOf('--');
    const target = String(args[separator - 1]);
    const pod = target.startsWith('deploy/') ? this.pods[0] : this.#pods.get(target.replace('pod/', ''));
    if (pod === undefined || hasExited(pod)) return { code: 1, stderr: `error: no container runs for ${target}\n` };
    const command = args
      .slice(separator + 1)
      .map((arg) => arg.replace(/(?<=localhost:)8080/, String(this.#ports.get(pod))));
    const [program, script = ''] = command;
    if (program !== 'node' || !['-e', 'src/main.ts'].includes(script))
      return { code: 126, stderr: `the image does not hold: ${program} ${script}\n` };
    const environment = { ...this.#environment(), ENDPOINTS_OF: `127.0.0.1:${this.#port}` };
    return { code: 0, run: { command, environment, folder: this.#image, withInput: args.includes('-i') } };
  }

  /** Returns the address of the metrics of each pod that runs. */
  urls(): readonly string[] {
    return this.pods.filter((pod) => !hasExited(pod)).map((pod) => `http://127.0.0.1:${this.#ports.get(pod)}`);
  }

  /** Answers for all pods at one address. Each pod has an address of its own in a cluster, and a port of its own here. */
  async #endpoints(url: string): Promise<readonly unknown[]> {
    const ask = async (pod: string): Promise<unknown> =>
      (await fetch(`${pod}${url}`, { signal: AbortSignal.timeout(5000) })).json();
    const lists = await Promise.allSettled(this.urls().map(ask));
    // A pod that does not answer has no list, as in a cluster.
    return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  }

  async #get(args: readonly string[]): Promise<Reply> {
    const [, object = ''] = args;
    if (['events', 'hpa'].includes(object))
      return { code: 0, stderr: 'No resources found in certificate-webhooks namespace.\n' };
    const isDeployment = object.startsWith('deployment');
    if (!isDeployment && !args.includes(selector) && object !== 'pods') return notPlayed(['kubectl', ...args]);
    if (args.includes('-o')) {
      const names = [...this.#pods.keys()].map((name) => `pod/${name}\n`);
      return { code: 0, stdout: isDeployment ? '{"app.kubernetes.io/managed-by":"Helm"}' : names.join('') };
    }
    const ready = await this.#ready();
    return { code: 0, stdout: isDeployment ? listDeployment(ready.size, this.#replicas) : listPods(this.#pods, ready) };
  }

  /** Resolves to the pods that say so. Kubernetes gives a pod a second for its answer, too. */
  async #ready(): Promise<ReadonlySet<ServiceProcess>> {
    const ask = async (pod: ServiceProcess): Promise<readonly ServiceProcess[]> => {
      const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(1000) };
      const answer = fetch(`http://127.0.0.1:${this.#ports.get(pod)}/readyz`, options);
      return answer.then(
        ({ ok }) => (ok ? [pod] : []),
        () => [],
      );
    };
    return new Set((await Promise.all(this.pods.map(ask))).flat());
  }

  /** With `--previous` only containers that have ended have a log, and the first pod without one ends the command. */
  #logs(args: readonly string[]): Reply {
    if (!args.includes(selector)) return notPlayed(['kubectl', ...args]);
    const tail = args.includes('--tail') ? Number(args[args.indexOf('--tail') + 1]) : 10;
    const missing = args.includes('--previous') && this.pods.some(({ exit }) => exit === undefined);
    if (missing && !args.includes('--ignore-errors')) return { code: 1, stderr: 'Error: no previous container\n' };
    const prefix = (name: string): string => (args.includes('--prefix') ? `[pod/${name}/certificate-webhooks] ` : '');
    const last = (lines: readonly string[]): readonly string[] => (tail < 0 ? lines : lines.slice(-tail));
    const lines = [...this.#pods]
      .filter(([, { exit }]) => exit !== undefined || !args.includes('--previous'))
      .flatMap(([name, { output, errors }]) => last([...output, ...errors]).map((line) => prefix(name) + line));
    return { code: 0, stdout: lines.map((line) => `${line}\n`).join('') };
  }

  #environment(): Environment {
    return { ...present(this.#revisions.at(-1)).environment, ...this.#overrides };
  }

  /** Starts and ends pods until there are as many as wanted. */
  async #reach(): Promise<void> {
    while (this.#pods.size < this.#replicas) this.#start();
    const surplus = [...this.#pods.keys()].slice(this.#replicas);
    await Promise.all(surplus.map((name) => this.#end(name)));
  }

  /** Replaces the pods one by one. A new one is ready before an old one ends. Resolves to false if a new one exits. */
  async #replaceAll(): Promise<boolean> {
    const exited = [...this.#pods].filter(([, { exit }]) => exit !== undefined);
    for (const [name] of exited) await this.#end(name);
    const old = [...this.#pods.keys()];
    for (const name of old) {
      const pod = this.#start();
      await eventually('a new pod is ready, or exits', async () => Promise.resolve(hasJoined(pod) || hasExited(pod)));
      if (hasExited(pod)) return false;
      await this.#end(name);
    }
    await this.#reach();
    return true;
  }

  #start(): ServiceProcess {
    const port = this.#port + 1 + (this.#count % podPorts);
    this.#count += 1;
    const pod = new ServiceProcess({ ...this.#environment(), HTTP_PORT: String(port) });
    this.#ports.set(pod, port);
    this.#pods.set(`certificate-webhooks-${this.#count}`, pod);
    return pod;
  }

  async #end(name: string): Promise<void> {
    const pod = present(this.#pods.get(name));
    this.#pods.delete(name);
    this.#ended.push(pod);
    pod.signal('SIGTERM');
    // A process that was suspended ends only once it goes on.
    pod.signal('SIGCONT');
    await pod.exited();
  }
}

function hasExited({ exit }: ServiceProcess): boolean {
  return exit !== undefined;
}

/** Returns true if both consumer groups have joined. */
function hasJoined({ output }: ServiceProcess): boolean {
  return output.filter((line) => line.includes('"consumer.joined"')).length >= 2;
}

interface Call {
  readonly tool: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** The standard input of `kubectl apply`, and nothing for other commands. */
  readonly input: string;
}

function notPlayed(command: readonly string[]): Reply {
  return { code: 1, stderr: `the stand-in does not know: ${command.join(' ')}\n` };
}
