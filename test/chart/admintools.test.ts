import { describe, expect, it } from 'vitest';
import { template, type Values } from '../support/helm/helm.ts';
import { startContainer, type Container, type ExistingObjects } from '../support/kubernetes/container.ts';
import { allOf, nameOf, onlyOf } from '../support/kubernetes/manifests.ts';
import { podsOf, selects, type Pods } from '../support/kubernetes/pods.ts';
import { needs } from '../support/programs/needs.ts';
import { deploy, deploymentOf, problemsIn, settingsIn } from './deployed.ts';

const plain = { KAFKA_BROKERS: 'kafka:9092' };
const settings = { ...plain, KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'service' };
const outside = {
  secrets: {
    'service-login': { KAFKA_SASL_USERNAME: 'service', KAFKA_SASL_PASSWORD: 'of the service' },
    'tools-login': { KAFKA_SASL_USERNAME: 'tools', KAFKA_SASL_PASSWORD: 'of the tools' },
  },
};

interface Tools {
  readonly pods: Pods;
  readonly container: Container;
}

async function tools(admintools: Values, more: Values = { settings: plain }, exist?: ExistingObjects): Promise<Tools> {
  const { manifests } = await deploy({ ...more, admintools: { enabled: true, ...admintools } }, exist);
  const pods = podsOf(deploymentOf(manifests, 'admintools'));
  return { pods, container: startContainer(pods, manifests, exist) };
}

describe('the pod of the tools', needs('helm'), () => {
  it('is not there by default', async () => {
    const { manifests } = await deploy({ settings: plain });
    expect(manifests.map(nameOf).filter((name) => name.includes('admintools'))).toEqual([]);
  });

  it('does nothing but wait, and has the settings of the service', async () => {
    const { pods, container } = await tools({});
    expect(pods.container.command?.slice(0, 2)).toEqual(['/usr/local/bin/node', '-e']);
    expect(pods.container.args).toBeUndefined();
    expect(container.environment).toEqual({ ...plain, ENDPOINTS_OF: 'hooks-certificate-webhooks:8080' });
    expect(await problemsIn(container)).toEqual([]);
  });

  it.each<[about: string, service: Values, admintools: Values]>([
    [
      'a user in the values and a password in a Secret',
      { settings, existingSecret: 'service-login' },
      { settings: { KAFKA_SASL_USERNAME: 'tools' }, existingSecret: 'tools-login' },
    ],
    [
      'a user and a password in a Secret',
      { settings, existingSecret: 'service-login', existingSecretKeys: ['KAFKA_SASL_PASSWORD'] },
      { existingSecret: 'tools-login', existingSecretKeys: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] },
    ],
    [
      'a user in place of one in a Secret',
      {
        settings: { ...plain, KAFKA_SASL_MECHANISM: 'plain' },
        existingSecret: 'service-login',
        existingSecretKeys: ['KAFKA_SASL_USERNAME'],
        settingsFrom: { KAFKA_SASL_PASSWORD: { secret: 'service-login', key: 'KAFKA_SASL_PASSWORD' } },
      },
      { settings: { KAFKA_SASL_USERNAME: 'tools' }, existingSecret: 'tools-login' },
    ],
  ])('can have its own login: %s', async (_about, service, admintools) => {
    const { pods, container } = await tools(admintools, service, outside);
    const { kafka } = await settingsIn(container);
    expect(kafka.sasl).toMatchObject({ username: 'tools' });
    expect([...container.files.values()]).toEqual(['of the tools']);
    const names = pods.container.env?.map(({ name }) => name) ?? [];
    expect(new Set(names).size).toBe(names.length);
    expect((await deploy(service, outside)).container.files).not.toEqual(container.files);
  });

  it('gets entries of its own Secrets as environment variables', async () => {
    const own = { secretRef: { name: 'tools-login' } };
    const { pods } = await tools(
      { envFrom: [own] },
      { settings: plain, envFrom: [{ secretRef: { name: 'service-login' } }] },
      outside,
    );
    expect(pods.container.envFrom).toEqual([{ secretRef: { name: 'service-login' } }, own]);
  });

  it('has its own ServiceAccount', async () => {
    const values = { settings: plain, admintools: { enabled: true } };
    const { manifests, pods } = await deploy(values);
    const accounts = allOf(manifests, 'ServiceAccount').map(({ metadata }) => metadata?.name);
    const own = podsOf(deploymentOf(manifests, 'admintools')).spec.serviceAccountName;
    expect(new Set(accounts)).toEqual(new Set([pods.spec.serviceAccountName, own]));
    expect(own).not.toBe(pods.spec.serviceAccountName);
    const shared = await tools({ serviceAccount: { create: false, name: 'shared' } });
    expect(shared.pods.spec.serviceAccountName).toBe('shared');
  });

  it('belongs to the NetworkPolicy, but not to the Service, the budget and the Deployment of the service', async () => {
    const values = { settings: plain, admintools: { enabled: true }, networkPolicy: { enabled: true } };
    const { manifests, deployment } = await deploy(values);
    const { labels } = podsOf(deploymentOf(manifests, 'admintools'));
    expect(selects(onlyOf(manifests, 'NetworkPolicy').spec?.podSelector?.matchLabels, labels)).toBe(true);
    expect(selects(deploymentOf(manifests, 'admintools').spec?.selector.matchLabels, labels)).toBe(true);
    const others = [
      onlyOf(manifests, 'Service').spec?.selector,
      onlyOf(manifests, 'PodDisruptionBudget').spec?.selector?.matchLabels,
      deployment.spec?.selector.matchLabels,
    ];
    expect(others.map((selector) => selects(selector, labels))).toEqual([false, false, false]);
  });

  it.each<[message: string, admintools: Values]>([
    ['for admintools: KAFKA_SASL_PASSWORD is missing', { settings: { KAFKA_SASL_MECHANISM: 'plain' } }],
    ['for admintools: settings.KAFKA_SASL_PASSWORD is a secret', { settings: { KAFKA_SASL_PASSWORD: 'hush' } }],
    ['for admintools: KAFKA_SASL_MECHANISM is missing', { existingSecret: 'tools-login' }],
  ])('is refused without a complete login: %s', async (message, own) => {
    const rendering = template({ settings: plain, admintools: { enabled: true, ...own } });
    await expect(rendering).rejects.toThrow(message);
  });
});
