import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { onlyOf } from '../support/kubernetes/manifests.ts';
import { policyProblems } from '../support/kubernetes/pod-policy.ts';
import { podsIn, selects } from '../support/kubernetes/pods.ts';
import { needs } from '../support/programs/needs.ts';
import { deploy } from './deployed.ts';

const { version } = packageJson;
const settings = { KAFKA_BROKERS: 'kafka:9092' };

describe('a pod', needs('helm'), () => {
  it('is refused by a restricted cluster if the values break its policy', async () => {
    const loose = {
      settings,
      securityContext: { readOnlyRootFilesystem: false, capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } },
      podSecurityContext: { runAsUser: 1000 },
      resources: { limits: { cpu: 1 } },
    };
    const { pods } = await deploy(loose);
    expect(policyProblems(pods)).toEqual([
      'certificate-webhooks has a user or group of the node',
      'certificate-webhooks has capabilities',
      'certificate-webhooks can write to its root file system',
      'certificate-webhooks is throttled',
    ]);
  });

  it.each([
    [{ repository: 'registry.example.com:5000/hooks' }, `registry.example.com:5000/hooks:${version}`],
    [{ repository: 'hooks', tag: '1.2.3' }, 'hooks:1.2.3'],
    [{ repository: 'hooks', digest: `sha256:${'a'.repeat(64)}` }, `hooks:${version}@sha256:${'a'.repeat(64)}`],
  ])('runs the image of %j', async (image, reference) => {
    expect((await deploy({ settings, image })).pods.container.image).toBe(reference);
  });

  it.each([
    ['hooks', 'mirror.local/hooks'],
    ['team/hooks', 'mirror.local/team/hooks'],
    ['registry.example.com/team/hooks', 'mirror.local/team/hooks'],
    ['registry:5000/hooks', 'mirror.local/hooks'],
    ['localhost/hooks', 'mirror.local/hooks'],
  ])('runs the image %s of the registry that all charts have', async (repository, reference) => {
    const values = { settings, image: { repository }, global: { imageRegistry: 'mirror.local' } };
    expect((await deploy(values)).pods.container.image).toBe(`${reference}:${version}`);
  });

  it('has the user that OpenShift gives it, if the values remove that of the image', async () => {
    const podSecurityContext = { runAsUser: null, runAsGroup: null };
    const { manifests } = await deploy({ settings, podSecurityContext, topicsJob: { enabled: true } });
    const pods = podsIn(manifests);
    expect(pods.length).toBeGreaterThan(1);
    for (const { spec } of pods) {
      expect(spec.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    }
    const contexts = pods.map(({ container }) => Object.keys(container.securityContext ?? {}));
    expect(contexts.flat().filter((field) => /^runAs(?:User|Group)$/.test(field))).toEqual([]);
  });

  it('has a token of the Kubernetes API only if the values ask for it', async () => {
    const mounted = async (serviceAccount: object): Promise<unknown> => {
      const { deployment, manifests } = await deploy({ settings, serviceAccount });
      const { automountServiceAccountToken } = onlyOf(manifests, 'ServiceAccount');
      return [automountServiceAccountToken, deployment.spec?.template.spec?.automountServiceAccountToken];
    };
    expect(await mounted({})).toEqual([false, false]);
    expect(await mounted({ automount: true })).toEqual([true, true]);
  });

  it('has what is passed on without the members that are null', async () => {
    const behavior = { scaleUp: null };
    const { deployment, pods, manifests } = await deploy({
      settings,
      strategy: { rollingUpdate: null },
      resources: { requests: { cpu: null } },
      autoscaling: { enabled: true, behavior, keda: { fallback: { behavior: null } } },
    });
    expect(deployment.spec?.strategy).toEqual({ type: 'RollingUpdate' });
    expect(pods.container.resources).toEqual({ requests: { memory: '1Gi' }, limits: { memory: '1Gi' } });
    const { advanced, fallback } = onlyOf(manifests, 'ScaledObject').spec;
    expect(Object.keys(advanced?.horizontalPodAutoscalerConfig?.behavior ?? {})).toEqual(['scaleDown']);
    expect(fallback).toEqual({ failureThreshold: 4, replicas: 2 });
    const recreated = await deploy({ settings, strategy: { type: 'Recreate' } });
    expect(recreated.deployment.spec?.strategy).toEqual({ type: 'Recreate' });
  });

  it('is replaced without a gap: all new ones first', async () => {
    const { deployment } = await deploy({ settings });
    expect(deployment.spec?.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 },
    });
  });

  it('runs with the scheduler, the runtime, the user namespace and the deadline that are chosen', async () => {
    const chosen = { schedulerName: 'batch', runtimeClassName: 'gvisor', hostUsers: false };
    const { pods, deployment } = await deploy({ settings, ...chosen, progressDeadlineSeconds: 300 });
    expect(pods.spec).toMatchObject(chosen);
    expect(deployment.spec).toMatchObject({ progressDeadlineSeconds: 300 });
    expect((await deploy({ settings })).pods.spec).not.toHaveProperty('hostUsers');
  });

  it('gets the entries of a ConfigMap as environment variables', async () => {
    const envFrom = [{ configMapRef: { name: 'proxy' } }];
    const outside = { configMaps: { proxy: { HTTPS_PROXY: 'http://proxy:3128' } } };
    expect((await deploy({ settings, envFrom }, outside)).pods.container).toMatchObject({ envFrom });
  });

  it('is spread over zones and hosts, but never stays pending for it', async () => {
    const { pods } = await deploy({ settings });
    const spread = pods.spec.topologySpreadConstraints ?? [];
    expect(spread.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable])).toEqual([
      ['topology.kubernetes.io/zone', 'ScheduleAnyway'],
      ['kubernetes.io/hostname', 'ScheduleAnyway'],
    ]);
    expect(spread.every(({ labelSelector }) => selects(labelSelector?.matchLabels, pods.labels))).toBe(true);
  });
});
