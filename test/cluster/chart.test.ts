import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../chart/cases.ts';
import { readPage, scriptsBelow, scriptsOf } from '../docs/support/page.ts';
import { needs } from '../support/programs/needs.ts';
import type { Values } from '../support/helm/helm.ts';
import type { HelmVersion } from '../support/helm/tools.ts';
import { startApiServer, type ApiServer } from './api-server.ts';

const operations = readPage('docs/operations.md');
const [preamble = ''] = operations.blocks.map(({ text }) => text);
const [install = ''] = scriptsOf(readPage('helm/certificate-webhooks/README.md'));
const [upgrade = '', rollback = ''] = scriptsBelow(operations, 'Upgrade and roll back').map(withoutWaiting);
const procedures = readPage('docs/procedures.md');
const [, stop = '', , , goOn = ''] = scriptsBelow(procedures, 'Stop everything').map(withoutWaiting);

/** No pods run here, so nothing would become ready. */
function withoutWaiting(script: string): string {
  return script.replace(/(?:\\\n)? *--wait --timeout \S+/, '').replace(/^kubectl .* rollout status .*$/m, '');
}

const withOption = (script: string, option: string): string => script.replace('-n $NS', `-n $NS ${option}`);

/** Definitions of custom resources without their fields: other tests check the objects by their types. */
const definitions = [
  ['keda.sh', 'v1alpha1', 'ScaledObject', 'TriggerAuthentication'],
  ['monitoring.coreos.com', 'v1', 'PodMonitor', 'PrometheusRule', 'ServiceMonitor'],
  ['kafka.strimzi.io', 'v1', 'KafkaTopic', 'KafkaUser'],
].flatMap(([group = '', name = '', ...kinds]) =>
  kinds.map((kind) => {
    const plural = `${kind.toLowerCase()}s`;
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const versions = [{ name, served: true, storage: true, schema }];
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: 'Namespaced', names: { kind, plural }, versions },
    };
  }),
);

describe('the chart on an API server', needs('etcd', 'kube-apiserver', 'kubectl', 'helm'), () => {
  let server: ApiServer;
  let namespaces = 0;
  beforeAll(async () => {
    server = await startApiServer();
    const define = 'kubectl apply -f values.yaml && kubectl wait crd --all --for condition=Established';
    const others = 'kubectl create namespace kafka && kubectl create namespace monitoring';
    await (await enter()).does(`${define} && ${others}`, { apiVersion: 'v1', kind: 'List', items: definitions });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Creates a namespace, which warns of pods that break the restricted policy, for somebody who works in it. */
  async function enter() {
    const first = `${preamble}\nNS=team-${(namespaces += 1)}\nkubectl config set-context --current --namespace $NS >/dev/null`;
    const run: ApiServer['run'] = (script, ...others) => server.run(`${first}\n${script}`, ...others);
    /** Returns what the script prints. It must succeed, without a warning. */
    const does = async (...given: Parameters<typeof run>): Promise<string> => {
      const { code, stdout, stderr } = await run(...given);
      if (code !== 0 || stderr !== '') throw new Error(`${given[0]} ended with ${code}:\n${stderr}`);
      return stdout;
    };
    const deployment = (path: string) => does(`kubectl get deployment certificate-webhooks -o jsonpath='${path}'`);
    const version = '{range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}';
    await does('kubectl create namespace $NS; kubectl label namespace $NS pod-security.kubernetes.io/warn=restricted');
    return {
      run,
      does,
      deployment,
      replicas: async () => Number(await deployment('{.spec.replicas}')),
      scale: (replicas: number) => does(`kubectl -n $NS scale deployment/certificate-webhooks --replicas ${replicas}`),
      /** Returns the versions of all objects of the release, one a line. */
      versions: (release: string) => does(`helm get manifest ${release} | kubectl get -f - -o jsonpath='${version}'`),
    };
  }

  async function installed(helm?: HelmVersion) {
    const someone = await enter();
    await someone.does(install, undefined, helm);
    return someone;
  }

  const values = { settings: { KAFKA_BROKERS: 'kafka-1:9093' } };
  const changed = { settings: { ...values.settings, LOG_LEVEL: 'debug' } };
  const failsWith = (text: string) => ({ code: 1, stderr: expect.stringContaining(text) as string });
  const conflict = failsWith('conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas');

  it.each(Object.entries<Values>(cases))('is taken without a warning, twice without a change: %s', async (_, all) => {
    const { does, versions } = await enter();
    const notes = await does('helm install hooks helm/certificate-webhooks --values values.yaml', all);
    expect(notes).toContain('\nNOTES:\ncertificate-webhooks ');
    const before = await versions('hooks');
    expect(before).toMatch(/^Deployment\/\S+ \d+$/m);
    await does('helm upgrade hooks helm/certificate-webhooks --values values.yaml');
    expect(await versions('hooks')).toBe(before);
    await does('helm uninstall hooks && kubectl delete kafkatopics --all-namespaces --all');
  });

  it('is refused with a field that Kubernetes does not know', async () => {
    const { run } = await installed();
    const misspelt = { ...values, securityContext: { privilegd: false } };
    expect(await run(upgrade, misspelt)).toMatchObject(failsWith('.privilegd: field not declared in schema'));
  });

  it('conflicts after kubectl scale, changes no pod, and takes the number back with --force-conflicts', async () => {
    const { does, run, scale, replicas, deployment } = await installed();
    await scale(4);
    const pods = await deployment('{.spec.template}');
    expect(await run(upgrade, { ...changed, podDisruptionBudget: { maxUnavailable: 2 } })).toMatchObject(conflict);
    expect([await replicas(), await deployment('{.spec.template}')]).toEqual([4, pods]);
    // Helm applies one object after the other, and this one comes before the Deployment.
    expect(await does("kubectl get pdb -o jsonpath='{.items[*].spec.maxUnavailable}'")).toBe('2');
    await does(withOption(upgrade, '--force-conflicts'));
    expect(await replicas()).toBe(2);
    await does(upgrade);
    await scale(4);
    expect(await run(rollback)).toMatchObject(conflict);
    await does(withOption(rollback, '--force-conflicts'));
    expect(await replicas()).toBe(2);
  });

  it('has as many pods as the values say after an upgrade, also while everything is stopped', async () => {
    const { does, scale, replicas } = await installed();
    await scale(4);
    await does(stop);
    await does(withOption(upgrade, '--set replicas=0'), changed);
    expect(await replicas()).toBe(0);
    await does(goOn.replace('--replicas 2', '--replicas 4'));
    expect(await replicas()).toBe(4);
    await does(stop);
    await does(upgrade, values);
    expect(await replicas()).toBe(2);
    await does(upgrade, { ...values, autoscaling: { enabled: true } });
    // An autoscaler scales the same way.
    await scale(4);
    await does(upgrade, values);
    expect(await replicas()).toBe(2);
  });

  it('leaves the number to kubectl scale with `replicas: null`, but may set it to 1 once', async () => {
    const [scaled, untouched] = [await installed(), await installed()];
    await scaled.scale(4);
    for (const { does } of [scaled, untouched]) await does(upgrade, { ...values, replicas: null });
    expect([await scaled.replicas(), await untouched.replicas()]).toEqual([4, 1]);
    await untouched.scale(4);
    await untouched.does(upgrade, { ...changed, replicas: null });
    expect(await untouched.replicas()).toBe(4);
    await untouched.does(stop);
    await untouched.does(upgrade, { ...values, replicas: null });
    await untouched.does(upgrade, { ...values, autoscaling: { enabled: true } });
    expect(await untouched.replicas()).toBe(0);
  });

  it.each(['helm-3.17.2', 'helm-4.1.4'] as const)('sets the number again if Helm 3 installed it: %s', async (helm) => {
    const { does, scale, replicas } = await installed('helm-3.17.2');
    await scale(4);
    await does(upgrade, values, helm);
    expect(await replicas()).toBe(2);
  });

  it('loses what a null removes, and gets it back', async () => {
    const { does, deployment } = await installed();
    const look = () => deployment('{.spec.strategy}{..containers[0].resources}{.spec.template.spec.securityContext}');
    const before = await look();
    const resources = { requests: { cpu: null }, limits: null };
    const podSecurityContext = { runAsUser: null, runAsGroup: null };
    await does(upgrade, { ...values, strategy: { type: 'Recreate' }, resources, podSecurityContext });
    const left = ['{"type":"Recreate"}', '{"requests":{"memory":"1Gi"}}', '{"runAsNonRoot":true,"seccompProfile":'];
    expect(await look()).toBe(`${left.join('')}{"type":"RuntimeDefault"}}`);
    await does(upgrade, values);
    expect(await look()).toBe(before);
  });

  it('leaves another release in the namespace whole', async () => {
    const { does, versions } = await enter();
    const enabled = { enabled: true };
    const files = { settingsFrom: { DELIVERY_CA_FILE: { content: 'a certificate' } }, topicsJob: enabled };
    const monitored = { serviceMonitor: enabled, prometheusRule: enabled, dashboards: enabled };
    const pods = { admintools: enabled, autoscaling: enabled, networkPolicy: enabled };
    const all = { ...values, ...files, ...monitored, ...pods };
    await does('helm install blue helm/certificate-webhooks --values values.yaml', all);
    const before = await versions('blue');
    await does('helm install green helm/certificate-webhooks --values values.yaml && helm uninstall green');
    expect(await versions('blue')).toBe(before);
    expect(before.trim().split('\n').length).toBeGreaterThan(12);
  });
});
