import { describe, expect, it } from 'vitest';
import { tierTopicsIn } from '../../src/kafka/topics/wanted-topics.ts';
import type { Values } from '../support/helm/helm.ts';
import type { Kinds } from '../support/kubernetes/kinds.ts';
import { allOf, nameOf, onlyOf } from '../support/kubernetes/manifests.ts';
import { readText } from '../support/files/sources.ts';
import { needs } from '../support/programs/needs.ts';
import type { Figures } from '../bench/throughput/results/figures.ts';
import { deploy, problemsIn } from './deployed.ts';

const settings = { KAFKA_BROKERS: 'kafka-1:9092, kafka-2:9092', KAFKA_GROUP_ID: 'hooks' };

type Trigger = Kinds['ScaledObject']['spec']['triggers'][number];

async function scaledByLag(more: Values = {}): Promise<readonly Trigger[]> {
  const { manifests } = await deploy({ settings: { ...settings, ...more }, autoscaling: { enabled: true } });
  return onlyOf(manifests, 'ScaledObject').spec.triggers;
}

describe('the number of pods', needs('helm'), () => {
  it('is set by the Deployment without autoscaling', async () => {
    const { deployment, manifests } = await deploy({ settings, replicas: 0 });
    expect(deployment.spec?.replicas).toBe(0);
    expect([...allOf(manifests, 'ScaledObject'), ...allOf(manifests, 'HorizontalPodAutoscaler')]).toEqual([]);
  });

  it('is left to whoever sets it, if it is null', async () => {
    const podDisruptionBudget = { maxUnavailable: '', minAvailable: 1 };
    const { deployment } = await deploy({ settings, replicas: null, podDisruptionBudget });
    expect(deployment.spec).not.toHaveProperty('replicas');
  });

  // Helm would reset the number with each upgrade, or fail on a field conflict.
  it.each(['keda', 'hpa'])('is left to %s', async (kind) => {
    const { deployment, manifests } = await deploy({ settings, replicas: 5, autoscaling: { enabled: true, kind } });
    expect(deployment.spec).not.toHaveProperty('replicas');
    const scalers = [...allOf(manifests, 'ScaledObject'), ...allOf(manifests, 'HorizontalPodAutoscaler')];
    expect(scalers.map((scaler) => scaler.spec?.scaleTargetRef.name)).toEqual([deployment.metadata?.name]);
  });

  it('can be paused with KEDA, whose triggers can have more metadata and no fallback', async () => {
    const keda = {
      paused: true,
      annotations: { team: 'learning' },
      metadata: { activationLagThreshold: '10' },
      fallback: { enabled: false },
    };
    const { manifests } = await deploy({
      settings,
      autoscaling: { enabled: true, keda: { ...keda, fallback: { enabled: false } } },
    });
    const { metadata, spec } = onlyOf(manifests, 'ScaledObject');
    expect(metadata?.annotations).toEqual({ team: 'learning', 'autoscaling.keda.sh/paused': 'true' });
    expect(spec.triggers[0]?.metadata).toMatchObject({ activationLagThreshold: '10' });
    expect(spec).not.toHaveProperty('fallback');
    const usual = await deploy({ settings, autoscaling: { enabled: true } });
    expect(onlyOf(usual.manifests, 'ScaledObject').spec).toMatchObject({ fallback: { failureThreshold: 4 } });
  });

  it.each(['keda', 'hpa'])('falls slowly with %s, because every removed pod causes a rebalance', async (kind) => {
    const { manifests } = await deploy({ settings, autoscaling: { enabled: true, kind } });
    const behavior =
      kind === 'hpa'
        ? onlyOf(manifests, 'HorizontalPodAutoscaler').spec?.behavior
        : onlyOf(manifests, 'ScaledObject').spec.advanced?.horizontalPodAutoscalerConfig?.behavior;
    expect(behavior?.scaleDown?.stabilizationWindowSeconds).toBeGreaterThanOrEqual(300);
    expect(behavior?.scaleDown?.policies).toEqual([{ type: 'Pods', value: 1, periodSeconds: 120 }]);
  });
});

describe('the resources of a pod', needs('helm'), () => {
  const { scenarios } = JSON.parse(readText('docs/performance/throughput.json')) as Pick<Figures, 'scenarios'>;

  function measured(quantity: 'cores' | 'peakMemoryMiB', ...names: readonly string[]): readonly number[] {
    return scenarios
      .filter(({ name }) => names.includes(name))
      .flatMap(({ systems }) => systems.filter((system) => system.name === 'the service'))
      .flatMap(({ quantities }) => quantities[quantity]?.median ?? []);
  }

  it('are a core, and the HPA adds pods above the CPU of 1,000 certificates a second', async () => {
    const { manifests, pods } = await deploy({ settings, autoscaling: { enabled: true, kind: 'hpa' } });
    const [metric] = onlyOf(manifests, 'HorizontalPodAutoscaler').spec?.metrics ?? [];
    const threshold = millicores(metric?.resource?.target.averageValue);
    expect(measured('cores', 'steady')).toHaveLength(1);
    expect(threshold).toBeGreaterThan(1000 * Math.max(...measured('cores', 'steady')));
    // On a full node a pod gets no more than its request. The HPA ignores a tenth.
    expect(millicores(pods.container.resources?.requests?.['cpu'])).toBeGreaterThan(1.1 * threshold);
  });

  it('hold a backlog in the share of the memory that the image gives to the heap', async () => {
    const peaks = measured('peakMemoryMiB', 'one-host', 'host-per-owner', 'steady');
    expect(peaks).toHaveLength(3);
    const { resources = {} } = (await deploy({ settings })).pods.container;
    expect(resources.requests?.['memory']).toBe('1Gi');
    expect(Math.max(...peaks)).toBeLessThan(0.7 * 1024);
  });
});

describe('the lag that KEDA scales on', needs('helm'), () => {
  it('is that of the certificate topics only, because retry topics lag on purpose', async () => {
    const triggers = await scaledByLag({ CERTIFICATE_TOPICS: 'done=certificate_completed, all' });
    expect(triggers.map(({ metadata }) => metadata)).toMatchObject([
      { bootstrapServers: 'kafka-1:9092,kafka-2:9092', consumerGroup: 'hooks', topic: 'done' },
      { bootstrapServers: 'kafka-1:9092,kafka-2:9092', consumerGroup: 'hooks', topic: 'all' },
    ]);
    const topics = triggers.map(({ metadata }) => metadata['topic'] ?? '');
    expect(tierTopicsIn(topics, 'certificate-webhooks.retry')).toEqual([]);
  });

  it.each([
    [{}, 'earliest'],
    [{ CERTIFICATE_START: 'earliest' }, 'earliest'],
    [{ CERTIFICATE_START: 'latest' }, 'latest'],
  ])('counts from the start position of the service: %j', async (more, offsetResetPolicy) => {
    const policies = (await scaledByLag(more)).map(({ metadata }) => metadata['offsetResetPolicy']);
    expect(policies).toEqual([offsetResetPolicy, offsetResetPolicy]);
  });

  it('is passed to KEDA as strings, including large numbers', async () => {
    const autoscaling = { enabled: true, keda: { lagThreshold: 25_000_000 } };
    const { manifests } = await deploy({ settings, autoscaling });
    for (const { metadata } of onlyOf(manifests, 'ScaledObject').spec.triggers) {
      expect(Object.values(metadata).every((value) => typeof value === 'string')).toBe(true);
      expect(metadata['lagThreshold']).toBe('25000000');
    }
  });

  it('never adds more pods than the topics have partitions by default', async () => {
    const { manifests } = await deploy({ settings, autoscaling: { enabled: true } });
    const { minReplicaCount = 0, maxReplicaCount = 0, fallback } = onlyOf(manifests, 'ScaledObject').spec;
    expect(minReplicaCount).toBeGreaterThanOrEqual(2);
    expect(maxReplicaCount).toBe(12);
    expect(fallback).toMatchObject({ behavior: 'currentReplicasIfHigher' });
  });
});

describe('KEDA', needs('helm'), () => {
  const login = { KAFKA_TLS: true, KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'webhooks' };
  const autoscaling = { enabled: true };

  it('logs in to Kafka like the service, from the same Secrets', async () => {
    const { manifests, pods } = await deploy(
      {
        settings: { ...settings, ...login },
        existingSecret: 'webhooks',
        settingsFrom: { KAFKA_TLS_CA_FILE: { configMap: 'authority', key: 'ca.crt' } },
        autoscaling,
      },
      { secrets: { webhooks: { KAFKA_SASL_PASSWORD: 'hush' } }, configMaps: { authority: { 'ca.crt': '' } } },
    );
    const authentication = onlyOf(manifests, 'TriggerAuthentication');
    expect(authentication.spec).toEqual({
      secretTargetRef: [{ parameter: 'password', name: 'webhooks', key: 'KAFKA_SASL_PASSWORD' }],
      configMapTargetRef: [{ parameter: 'ca', name: 'authority', key: 'ca.crt' }],
      env: [{ parameter: 'username', name: 'KAFKA_SASL_USERNAME', containerName: 'certificate-webhooks' }],
    });
    expect(pods.container.name).toBe('certificate-webhooks');
    expect(pods.container.env).toContainEqual({ name: 'KAFKA_SASL_USERNAME', value: 'webhooks' });
    for (const trigger of onlyOf(manifests, 'ScaledObject').spec.triggers) {
      expect(trigger.metadata).toMatchObject({ sasl: 'scram_sha512', tls: 'enable' });
      expect(trigger.authenticationRef).toEqual({ name: authentication.metadata?.name });
    }
  });

  it('trusts ca.crt where the service trusts all authorities of a Secret', async () => {
    const { manifests } = await deploy(
      {
        settings: { ...settings, KAFKA_TLS: true },
        settingsFrom: { KAFKA_TLS_CA_FILE: { secret: 'ca' } },
        autoscaling,
      },
      { secrets: { ca: {} } },
    );
    expect(onlyOf(manifests, 'TriggerAuthentication').spec).toEqual({
      secretTargetRef: [{ parameter: 'ca', name: 'ca', key: 'ca.crt' }],
    });
  });

  it('gets its tokens like the service, from the same Secrets', async () => {
    const tokens = {
      KAFKA_TLS: true,
      KAFKA_SASL_MECHANISM: 'oauthbearer',
      KAFKA_OAUTH_TOKEN_URL: 'https://idp.example.com/token',
      KAFKA_OAUTH_CLIENT_ID: 'webhooks',
      KAFKA_OAUTH_SCOPE: 'kafka read',
    };
    const { manifests, container } = await deploy(
      { settings: { ...settings, ...tokens }, existingSecret: 'webhooks', autoscaling },
      { secrets: { webhooks: { KAFKA_OAUTH_CLIENT_SECRET: 'hush' } } },
    );
    const ofContainer = (parameter: string, name: string) => ({
      parameter,
      name,
      containerName: 'certificate-webhooks',
    });
    expect(onlyOf(manifests, 'TriggerAuthentication').spec).toEqual({
      secretTargetRef: [{ parameter: 'password', name: 'webhooks', key: 'KAFKA_OAUTH_CLIENT_SECRET' }],
      env: [
        ofContainer('username', 'KAFKA_OAUTH_CLIENT_ID'),
        ofContainer('scopes', 'KAFKA_OAUTH_SCOPE'),
        ofContainer('oauthTokenEndpointUri', 'KAFKA_OAUTH_TOKEN_URL'),
      ],
    });
    expect(await problemsIn(container)).toEqual([]);
    for (const trigger of onlyOf(manifests, 'ScaledObject').spec.triggers)
      expect(trigger.metadata).toMatchObject({ sasl: 'oauthbearer', tls: 'enable' });
  });

  it('has no login if Kafka needs none', async () => {
    const { manifests } = await deploy({ settings, autoscaling });
    expect(allOf(manifests, 'TriggerAuthentication')).toEqual([]);
    for (const trigger of await scaledByLag()) expect(trigger).not.toHaveProperty('authenticationRef');
  });

  it('can have its own login', async () => {
    const own = { enabled: true, keda: { authentication: 'kafka-lag' } };
    const { manifests } = await deploy({ settings, autoscaling: own });
    expect(manifests.map(nameOf).filter((name) => name.startsWith('TriggerAuthentication'))).toEqual([]);
    expect(onlyOf(manifests, 'ScaledObject').spec.triggers[0]?.authenticationRef).toEqual({ name: 'kafka-lag' });
  });
});

describe('the disruption budget', needs('helm'), () => {
  it.each<[values: Values, replicas: number]>([
    [{}, 2],
    [{ replicas: 1 }, 1],
    [{ replicas: 3, podDisruptionBudget: { maxUnavailable: '10%' } }, 3],
    [{ replicas: 3, podDisruptionBudget: { maxUnavailable: '', minAvailable: 2 } }, 3],
    [{ replicas: 3, podDisruptionBudget: { maxUnavailable: '', minAvailable: '50%' } }, 3],
    [{ autoscaling: { enabled: true }, podDisruptionBudget: { maxUnavailable: '', minAvailable: 1 } }, 2],
  ])('always allows an eviction, so that nodes can be drained: %j', async (values, replicas) => {
    const { manifests } = await deploy({ settings, ...values });
    const { maxUnavailable, minAvailable, unhealthyPodEvictionPolicy } =
      onlyOf(manifests, 'PodDisruptionBudget').spec ?? {};
    const stay =
      minAvailable === undefined ? replicas - shareOf(maxUnavailable, replicas) : shareOf(minAvailable, replicas);
    expect(stay).toBeLessThan(replicas);
    // Pods that wait for Kafka are not ready, and must not block a node drain.
    expect(unhealthyPodEvictionPolicy).toBe('AlwaysAllow');
  });

  it('can be turned off', async () => {
    const { manifests } = await deploy({ settings, podDisruptionBudget: { enabled: false } });
    expect(allOf(manifests, 'PodDisruptionBudget')).toEqual([]);
  });
});

function millicores(quantity: string | number | undefined): number {
  const text = String(quantity);
  return text.endsWith('m') ? Number(text.slice(0, -1)) : 1000 * Number(text);
}

/** Rounds up, as Kubernetes does for both kinds of percentages. */
function shareOf(amount: string | number | undefined, replicas: number): number {
  return typeof amount === 'string' ? Math.ceil((Number.parseInt(amount, 10) * replicas) / 100) : (amount ?? 0);
}
