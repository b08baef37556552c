import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { template, type Values } from '../../support/helm/helm.ts';
import { downloadTools, helmVersions } from '../../support/helm/tools.ts';
import { parseManifests } from '../../support/kubernetes/manifests.ts';
import { podsIn } from '../../support/kubernetes/pods.ts';
import { cases } from '../cases.ts';
import { namespace, startCluster, type Cluster } from './cluster.ts';
import { prepareProgram } from './program.ts';
import { releaseIn } from './release.ts';
import { strimziDefinitions } from './strimzi-definitions.ts';

const running = new AsyncDisposableStack();
let started: Cluster | undefined;

function kubectl(args: readonly string[], input?: unknown): Promise<string> {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return cluster().kubectl(args, text);
}

function cluster(): Cluster {
  if (started === undefined) throw new Error('The cluster is there within tests only.');
  return started;
}

beforeAll(async () => {
  await downloadTools();
  const { command, definitions } = await prepareProgram();
  started = running.use(await startCluster(command));
  const define = ['apply', '--server-side', '--filename'];
  await kubectl([...define, definitions]);
  await kubectl([...define, '-'], strimziDefinitions);
  await kubectl(['create', 'priorityclass', 'high', '--value=1000']);
  for (const name of [namespace, 'monitoring', 'kafka']) {
    await kubectl(['create', 'namespace', name]);
    const level = ['enforce', 'warn'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);
    await kubectl(['label', 'namespace', name, ...level]);
  }
});

afterAll(async () => running.disposeAsync());

/** Options for a dry run on the server: the cluster checks everything and stores nothing. */
const dryRun = ['--dry-run=server', '--validate=strict', '--output=name', '--filename=-'];

describe('Kubernetes', () => {
  it.each(Object.entries<Values>(cases))('accepts every object without a warning: %s', async (_about, values) => {
    const text = await template(values);
    const accepted = await kubectl(['apply', '--server-side', ...dryRun], text);
    expect(accepted.trim().split('\n')).toHaveLength(parseManifests(text).length);
  });

  it.each(Object.entries<Values>(cases))('accepts the pods in a restricted namespace: %s', async (_about, values) => {
    for (const { labels, annotations, spec } of podsIn(parseManifests(await template(values)))) {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod', labels, annotations }, spec };
      expect(await kubectl(['create', ...dryRun], pod)).toBe('pod/pod\n');
    }
  });

  it('would refuse unknown fields, and warn of pods that break the policy', async () => {
    const text = await template(cases['only brokers']);
    const misspelt = text.replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem');
    await expect(kubectl(['apply', '--server-side', ...dryRun], misspelt)).rejects.toThrow(
      'field not declared in schema',
    );
    const loose = text.replace('allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true');
    await expect(kubectl(['apply', '--server-side', ...dryRun], loose)).rejects.toThrow('would violate PodSecurity');
  });
});

describe.each(helmVersions)('%s', (version) => {
  const deployment = (release: string, path: string): Promise<string> =>
    kubectl(['get', `deployment/${release}-certificate-webhooks`, `--output=jsonpath={${path}}`]);

  it('installs, upgrades, rolls back and removes a release, but keeps the topics', async () => {
    const before = cases['all values together'];
    const release = releaseIn(cluster(), version, 'whole');
    const logLevel = '.spec.template.spec.containers[0].env[?(@.name=="LOG_LEVEL")].value';
    await release.upgrade(before);
    await release.upgrade({ ...before, settings: { ...before.settings, LOG_LEVEL: 'debug' } });
    expect(await deployment('whole', logLevel)).toBe('debug');
    await release.rollback(1);
    expect(await deployment('whole', logLevel)).toBe('');
    await release.uninstall();
    const kinds =
      'deployment,service,configmap,secret,networkpolicy,pdb,scaledobject,servicemonitor,kafkauser,kafkatopic';
    const remaining = await kubectl([
      'get',
      kinds,
      '--all-namespaces',
      '--selector=app.kubernetes.io/instance=whole',
      '--output=name',
    ]);
    const topics = remaining.trim().split('\n');
    expect(topics.filter((name) => !name.startsWith('kafkatopic.kafka.strimzi.io/'))).toEqual([]);
    expect(topics).toHaveLength(10);
    await kubectl(['delete', 'kafkatopics', '--all', '--namespace=kafka']);
  });

  it('leaves the number of pods to the autoscaler', async () => {
    const values = cases['scaled by CPU'];
    const release = releaseIn(cluster(), version, 'scaled');
    await release.upgrade(values);
    await kubectl(['scale', 'deployment/scaled-certificate-webhooks', '--replicas=5']);
    await release.upgrade({ ...values, settings: { ...values.settings, LOG_LEVEL: 'debug' } });
    expect(await deployment('scaled', '.spec.replicas')).toBe('5');
    await release.uninstall();
  });
});
