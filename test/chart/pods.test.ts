import { beforeAll, describe, expect, it } from 'vitest';
import { downloadTools } from '../support/helm/tools.ts';
import { policyProblems } from '../support/kubernetes/pod-policy.ts';
import { selects } from '../support/kubernetes/pods.ts';
import { needs } from '../support/programs/needs.ts';
import { deploy } from './deployed.ts';

beforeAll(downloadTools, 300_000);

const settings = { KAFKA_BROKERS: 'kafka:9092' };

describe('a pod', needs('helm'), () => {
  it('does not run in a careful cluster once it is given what the cluster forbids', async () => {
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
    [{ repository: 'registry.example.com:5000/hooks' }, 'registry.example.com:5000/hooks:0.1.0'],
    [{ repository: 'hooks', tag: '1.2.3' }, 'hooks:1.2.3'],
    [{ repository: 'hooks', digest: `sha256:${'a'.repeat(64)}` }, `hooks:0.1.0@sha256:${'a'.repeat(64)}`],
  ])('runs the image of %j', async (image, reference) => {
    expect((await deploy({ settings, image })).pods.container.image).toBe(reference);
  });

  it('is replaced without a gap: a new one first, and one at a time', async () => {
    const { deployment } = await deploy({ settings });
    expect(deployment.spec?.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
  });

  it('stands apart from its equals, in zones and on hosts, without ever waiting for a place', async () => {
    const { pods } = await deploy({ settings });
    const spread = pods.spec.topologySpreadConstraints ?? [];
    expect(spread.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable])).toEqual([
      ['topology.kubernetes.io/zone', 'ScheduleAnyway'],
      ['kubernetes.io/hostname', 'ScheduleAnyway'],
    ]);
    expect(spread.every(({ labelSelector }) => selects(labelSelector?.matchLabels, pods.labels))).toBe(true);
  });
});
