import { describe, expect, it } from 'vitest';
import { createAuthority } from '../support/tls/authority.ts';
import { startContainer } from '../support/kubernetes/container.ts';
import { allOf, onlyOf } from '../support/kubernetes/manifests.ts';
import { podsOf } from '../support/kubernetes/pods.ts';
import { needs } from '../support/programs/needs.ts';
import { deploy, deploymentOf, settingsIn } from './deployed.ts';

const settings = { KAFKA_BROKERS: 'kafka:9093', KAFKA_TLS: true };
const login = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'webhooks' };
const authority = createAuthority();
const client = authority.issue();

describe('a secret', needs('helm'), () => {
  it('is read from a mounted file, never from the environment', async () => {
    const values = { settings: { ...settings, ...login }, existingSecret: 'webhooks' };
    const { container, pods } = await deploy(values, { secrets: { webhooks: { KAFKA_SASL_PASSWORD: 'hush' } } });
    const { kafka } = await settingsIn(container);
    expect(kafka.sasl?.secret.value.reveal()).toBe('hush');
    // The service reads the file again when it changes.
    expect(kafka.sasl?.secret.file).toBe('/etc/certificate-webhooks/files/KAFKA_SASL_PASSWORD');
    expect(Object.values(container.environment).join()).not.toContain('hush');
    const mounts = pods.container.volumeMounts;
    expect(mounts).toEqual([{ name: 'files', mountPath: '/etc/certificate-webhooks/files', readOnly: true }]);
  });

  it('can have any name and keys', async () => {
    const values = {
      settings: { ...settings, KAFKA_SASL_MECHANISM: 'scram-sha-512' },
      settingsFrom: {
        KAFKA_SASL_USERNAME: { configMap: 'kafka', key: 'user' },
        KAFKA_SASL_PASSWORD: { secret: 'kafka-user', key: 'password' },
        KAFKA_TLS_CA_FILE: { secret: 'kafka-cluster-ca-cert', key: 'ca.crt' },
        KAFKA_TLS_CERT_FILE: { secret: 'kafka-user', key: 'user.crt' },
        KAFKA_TLS_KEY_FILE: { secret: 'kafka-user', key: 'user.key' },
      },
    };
    const user = { password: 'hush\n', 'user.crt': client.certificate, 'user.key': client.key };
    const { container } = await deploy(values, {
      secrets: { 'kafka-user': user, 'kafka-cluster-ca-cert': { 'ca.crt': authority.certificate } },
      configMaps: { kafka: { user: 'webhooks' } },
    });
    const { kafka } = await settingsIn(container);
    expect(kafka.sasl).toMatchObject({ mechanism: 'scram-sha-512', username: 'webhooks' });
    expect(kafka.sasl?.secret.value.reveal()).toBe('hush');
    expect(kafka.tls.key?.value.reveal()).toBe(client.key);
  });

  it('is required: a missing key keeps the pod from starting', async () => {
    const values = { settings: { ...settings, ...login }, existingSecret: 'webhooks' };
    await expect(deploy(values, { secrets: { webhooks: { PASSWORD: 'hush' } } })).rejects.toThrow(
      'KAFKA_SASL_PASSWORD',
    );
  });
});

describe('certificate authorities without a key', needs('helm'), () => {
  const old = createAuthority('old');
  const both = { 'ca.crt': authority.certificate, 'ca-2026-11-29T07-00-00Z.crt': old.certificate, 'ca.password': 'x' };

  it('are all those of the Secret or ConfigMap', async () => {
    const values = {
      settings: { ...settings, SCHEMA_REGISTRY_URL: 'https://registry' },
      settingsFrom: {
        KAFKA_TLS_CA_FILE: { secret: 'kafka-cluster-ca-cert' },
        SCHEMA_REGISTRY_CA_FILE: { configMap: 'registry' },
        DELIVERY_CA_FILE: { secret: 'kafka-cluster-ca-cert', key: 'ca.crt' },
      },
    };
    const { container, pods } = await deploy(values, {
      secrets: { 'kafka-cluster-ca-cert': both },
      configMaps: { registry: { 'one.pem': old.certificate } },
    });
    const { kafka, schemaRegistry, egress } = await settingsIn(container);
    expect(kafka.tls.certificateAuthorities?.value).toBe(`${old.certificate}\n${authority.certificate}`);
    expect(schemaRegistry.certificateAuthorities?.value).toBe(old.certificate);
    expect(egress.certificateAuthorities?.value).toBe(authority.certificate);
    const mounts = pods.container.volumeMounts;
    expect(mounts?.map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ['files', true],
      ['kafka-tls-ca-file', true],
      ['schema-registry-ca-file', true],
    ]);
  });

  it('are in the pods of the topics Job and of the tools, too', async () => {
    const values = {
      settings,
      settingsFrom: { KAFKA_TLS_CA_FILE: { secret: 'ca' } },
      topicsJob: { enabled: true },
      admintools: { enabled: true },
    };
    const outside = { secrets: { ca: both } };
    const { manifests, container } = await deploy(values, outside);
    for (const pods of [podsOf(onlyOf(manifests, 'Job')), podsOf(deploymentOf(manifests, 'admintools'))])
      expect(startContainer(pods, manifests, outside).files).toEqual(container.files);
  });
});

describe('a public certificate', needs('helm'), () => {
  it('can be in the values, and then in a ConfigMap of the chart', async () => {
    const values = { settings, settingsFrom: { KAFKA_TLS_CA_FILE: { content: authority.certificate } } };
    const { container, manifests } = await deploy(values);
    expect(allOf(manifests, 'ConfigMap')).toHaveLength(1);
    expect((await settingsIn(container)).kafka.tls.certificateAuthorities?.value).toBe(authority.certificate);
  });

  it('restarts the pods if it changes, because it is read only at start', async () => {
    const annotationsWith = async (content: string): Promise<unknown> => {
      return (await deploy({ settings, settingsFrom: { DELIVERY_CA_FILE: { content } } })).pods.annotations;
    };
    expect(await annotationsWith(authority.certificate)).not.toEqual(
      await annotationsWith(createAuthority().certificate),
    );
  });
});

describe('webhook configurations', needs('helm'), () => {
  const hooks = { 'hooks.yaml': '[]' };

  it.each([
    ['secret', { secrets: { hooks } }],
    ['configMap', { configMaps: { hooks } }],
  ])('can be files of a %s, mounted where the service reads them', async (kind, outside) => {
    const { container } = await deploy({ settings, webhookConfigurations: { [kind]: 'hooks' } }, outside);
    const { source } = (await settingsIn(container)).webhooks;
    expect(source.kind).toBe('file');
    expect([...container.files]).toEqual([[`${source.kind === 'file' ? source.path : ''}/hooks.yaml`, '[]']]);
  });
});

describe('the topics Job', needs('helm'), () => {
  it('has the settings and secrets of the service', async () => {
    const values = { settings: { ...settings, ...login }, existingSecret: 'webhooks', topicsJob: { enabled: true } };
    const outside = { secrets: { webhooks: { KAFKA_SASL_PASSWORD: 'hush' } } };
    const { manifests, container } = await deploy(values, outside);
    const { environment, files } = startContainer(podsOf(onlyOf(manifests, 'Job')), manifests, outside);
    expect({ environment, files }).toEqual({ environment: container.environment, files: container.files });
  });
});
