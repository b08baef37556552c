import { symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createAuthority, type Authority } from '../../support/tls/authority.ts';
import { startEndpoint, type Endpoint } from '../../support/endpoints/endpoint.ts';
import { aConfiguration, json } from '../../support/builders.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { produce } from '../../support/kafka/records.ts';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { saslListener } from '../../support/kafka/cluster/security.ts';
import { startLocalCluster } from '../../support/kafka/cluster/start-local-cluster.ts';
import { root } from '../../support/files/sources.ts';
import { compiled } from '../../support/processes/compiled.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import type { ServiceProcess } from '../../support/service/service-process.ts';
import { LocalRelease } from './local-release.ts';
import { queriesBelow, readPage, scriptsBelow } from '../../docs/support/page.ts';
import { runScript, writePrograms, type Output } from './operations-shell.ts';

const operations = readPage('docs/operations.md');
const pages = [operations, ...['procedures', 'onboarding', 'results'].map((name) => readPage(`docs/${name}.md`))];
/** The block that the pages ask to paste first. */
export const [preamble = ''] = operations.blocks.map(({ text }) => text);

/** The id that the pages use in commands. */
export const webhookId = '665f1f77bcf86cd799439011';
export const ownerId = '665f1f77bcf86cd799439000';

/** The tiers that the pages name. A page that has a command for each retry topic starts a program for each of them. */
export const fewTiers = { RETRY_DELAYS: '10s,1m' };

/** A fresh cluster with users and access control lists, the service in two local processes, and one subscriber. */
export interface Incident extends AsyncDisposable {
  readonly cluster: LocalCluster;
  readonly endpoint: Endpoint;
  /** The authority that the service trusts. */
  readonly authority: Authority;
  /** The folder of the operator. */
  readonly folder: string;
  readonly pods: readonly ServiceProcess[];
  /** Writes the values as the operator would. */
  values(changes: Readonly<Record<string, string | undefined>>, secret?: string): Promise<void>;
  /** Returns the address of the metrics of each pod that runs. */
  urls(): readonly string[];
  configure(brokers?: readonly string[]): Promise<void>;
  /** Runs shell blocks below a heading of the pages, as they stand. `replace` is what a reader fills in. */
  play(heading: string, blocks: readonly number[], replace?: Readonly<Record<string, string>>): Promise<Output>;
  run(script: string): Promise<Output>;
  /** Allows the service what it needs in a cluster, with the commands of the first deployment. */
  allow(brokers: readonly string[]): Promise<void>;
}

/** Returns the queries below a heading of the handbook, as they stand. */
export function queriesIn(heading: string): readonly string[] {
  return queriesBelow(operations, heading);
}

/**
 * Starts an incident. The first deployment is most of what it costs, so the tests of a file share one where they can: each
 * leaves the service working.
 */
export async function startIncident(): Promise<Incident> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startSecuredCluster());
  const authority = createAuthority();
  const endpoint = stack.use(await startEndpoint({ identity: authority.issue() }));
  const files = stack.use(await writeTemporaryFiles({ 'authority.pem': authority.certificate }));
  const folder = dirname(files.path('authority.pem'));
  await symlink(join(root, 'helm'), files.path('helm'));
  const release = stack.use(new LocalRelease({ folder, overrides: overrides(files.path('authority.pem')) }));
  const programs = await writePrograms(folder, await release.listen(stack));
  const document = aConfiguration({ _id: webhookId, _ownerId: ownerId, url: endpoint.url('/certificates') });
  const run = (script: string): Promise<Output> =>
    runScript(`${preamble}\nexport BROKERS=${cluster.brokers.join()}\n${script}`, { programs, folder });
  const write = (name: string, text: string): Promise<void> => writeFile(files.path(name), text);
  const settings = {
    ...fewTiers,
    CERTIFICATE_START: 'earliest',
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: 'certificate-webhooks',
  };
  const values = (
    changes: Readonly<Record<string, string | undefined>>,
    existingSecret = 'certificate-webhooks',
  ): Promise<void> => {
    const brokers = { KAFKA_BROKERS: cluster.addressesOf('SASL').join() };
    return write('values.yaml', JSON.stringify({ settings: { ...settings, ...brokers, ...changes }, existingSecret }));
  };
  const configure = async (brokers = cluster.brokers): Promise<void> => {
    const records = [{ key: webhookId, value: json(document) }];
    await produce(quietClient(brokers), 'certificates.webhook-configurations', records);
  };
  await values({});
  await install(run);
  await configure();
  const owned = stack.move();
  return {
    cluster,
    endpoint,
    authority,
    folder,
    values,
    configure,
    run,
    urls: () => release.urls(),
    allow: (brokers) => succeed(run, `BROKERS=${brokers.join()} PASSWORD=the-first-password\n${acls}`),
    get pods() {
      return release.pods;
    },
    play: (heading, blocks, replace = {}) => {
      const scripts = pages.flatMap((page) => scriptsBelow(page, heading));
      const script = blocks.map((block) => scripts[block] ?? '').join('\n');
      return run(Object.entries(replace).reduce((text, [from, to]) => text.replaceAll(from, to), script));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Starts a cluster where everything needs a right, except without a login. */
export function startSecuredCluster(): Promise<LocalCluster> {
  return startLocalCluster({
    listeners: [saslListener('SASL', { mechanism: 'SCRAM-SHA-512' })],
    properties: {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
    },
  });
}

const [acls = '', secret = ''] = scriptsBelow(operations, 'First deployment');

/** Does what the first deployment asks for. */
async function install(run: (script: string) => Promise<Output>): Promise<void> {
  await succeed(run, `PASSWORD=the-first-password\n${acls}\n${secret}`);
  // One broker is fewer than is recommended, so the command warns with its exit code.
  await run(
    `cd ${root}; KAFKA_BROKERS=$BROKERS RETRY_DELAYS=${fewTiers.RETRY_DELAYS} npx node src/main.ts topics --create`,
  );
  await succeed(
    run,
    'helm upgrade --install certificate-webhooks helm/certificate-webhooks -n $NS --values values.yaml',
  );
  await succeed(run, 'kubectl -n $NS rollout status deployment/certificate-webhooks');
}

async function succeed(run: (script: string) => Promise<Output>, script: string): Promise<void> {
  const { code, stderr } = await run(script);
  if (code !== 0) throw new Error(stderr);
}

function overrides(authorityFile: string): Readonly<Record<string, string>> {
  return {
    ...compiled,
    DELIVERY_CA_FILE: authorityFile,
    DELIVERY_ALLOWED_PORTS: '1-65535',
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    HTTP_HOST: '127.0.0.1',
    KAFKA_SESSION_TIMEOUT: '6s',
  };
}
