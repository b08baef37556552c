import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aCertificateDocument, aConfiguration, json } from '../support/builders.ts';
import { root } from '../support/files/sources.ts';
import { quietClient } from '../support/kafka/client.ts';
import { produce } from '../support/kafka/records.ts';
import { framed } from '../support/registry/framed.ts';
import { startRegistryServer, type ScriptedAnswer } from '../support/registry/registry-server.ts';
import { eventually } from '../support/time/eventually.ts';
import { certificate, complete, logged, received } from './support/entry.ts';
import { ownerId, startIncident, webhookId, type Incident } from './support/incident.ts';
import { needs } from '../support/programs/needs.ts';

describe('the entries of tickets, played one after the other', needs('java', 'maven'), () => {
  let incident: Incident;
  beforeAll(async () => {
    incident = await startIncident();
    return () => incident[Symbol.asyncDispose]();
  }, 300_000);
  // The pods keep connections, which would count as leaks of the test.
  afterEach(() => incident.endpoint.closeConnections());

  it('name the owners whose certificates nobody wants', async () => {
    const strangers = ['stranger', 'stranger', 'other'].map((owner) => json(aCertificateDocument({ _ownerId: owner })));
    await complete(incident, 'wanted', ...strangers, Buffer.from('not JSON'));
    const looked = await incident.play('CertificateWebhooksMoreUnclaimed', [0]);
    expect(looked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ +2 stranger\n +1 other\n$/) as string });
  });

  it('find the pod that was suspended', async () => {
    const [pod, other] = incident.pods;
    const joined = count(other?.output, 'consumer.joined');
    pod?.signal('SIGSTOP');
    await eventually('the other pod takes the partitions', async () =>
      Promise.resolve(count(other?.output, 'consumer.joined') >= joined + 2),
    );
    pod?.signal('SIGCONT');
    await pod?.logged('consumer.crashed', 2);
    await eventually('both are members again', async () =>
      Promise.resolve(count(other?.output, 'consumer.joined') >= joined + 4),
    );
    const { stdout } = await incident.play('CertificateWebhooksRebalanceStorm', [0]);
    const crashes = stdout.split('\n').filter((line) => line.includes(' crashed '));
    expect(crashes).toEqual([
      expect.stringMatching(/^\S+ certificate-webhooks-1 crashed "groupId":.*ProcessPausedError/) as string,
      expect.stringMatching(/^\S+ certificate-webhooks-1 crashed "groupId":.*ProcessPausedError/) as string,
    ]);
    expect(stdout.match(/^certificate-webhooks +certificate-webhooks-\S+ +\/127\.0\.0\.1/gm)).toHaveLength(2);
  });

  it('add partitions, which are read without a restart', async () => {
    expect(await incident.play('Scale', [0])).toMatchObject({ code: 0, stderr: '' });
    const record = { ...certificate('in-a-new-partition'), partition: 23 };
    await produce(quietClient(incident.cluster.brokers), 'certificates.completed', [record]);
    // The service asks for new partitions every half minute, and the group joins again after that.
    await received(incident, 'in-a-new-partition');
    const { stdout } = await incident.run('certificate-webhooks topics');
    expect(stdout).not.toMatch(/partitions/);
  });

  it('pause and resume one subscriber', async () => {
    const { folder } = incident;
    const file = join(folder, 'webhook.json');
    const url = incident.endpoint.url('/changed');
    await writeFile(file, json(aConfiguration({ _id: webhookId, _ownerId: ownerId, url })));
    const inCheckout = `cd ${root}; KAFKA_BROKERS=$BROKERS DELIVERY_ALLOWED_PORTS=1-65535 npx node`;
    const places = { 'npx node': inCheckout, 'webhook.json': file };
    const played = await incident.play('One subscriber', [0, 1], places);
    expect(played).toMatchObject({ code: 0, stdout: expect.stringMatching(/\npaused .*\nresumed .*\n/) as string });
    await complete(incident, 'after-the-change');
    await received(incident, 'after-the-change');
    const requests = incident.endpoint.requests.filter(({ body }) => body.includes('after-the-change'));
    expect(requests.map(({ path }) => path)).toEqual(['/changed']);
  });

  it('find a schema registry that refuses the login, and see it work again', async () => {
    const refusal: ScriptedAnswer = { status: 401, body: {} };
    let answer: ScriptedAnswer = refusal;
    await using registry = await startRegistryServer({ answer: () => answer });
    await incident.values({ SCHEMA_REGISTRY_URL: registry.url });
    await upgrade(incident);
    await complete(incident, framed(7, certificate('waits-for-its-schema').value));
    await logged(incident, 'schema_registry.failed');
    const looked = await incident.play('CertificateWebhooksSchemaRegistryFailing', [0]);
    expect(looked).toMatchObject({ code: 0, stdout: expect.stringContaining('it answers 401') as string });
    answer = { body: { schema: '{}', schemaType: 'JSON' } };
    await received(incident, 'waits-for-its-schema');
  });

  it('list dead letters and replay them', async () => {
    await incident.values({ RETRY_DELAYS: '1s' });
    await incident.run(`cd ${root}; KAFKA_BROKERS=$BROKERS RETRY_DELAYS=1s npx node src/main.ts topics --create`);
    await upgrade(incident);
    incident.endpoint.script('/changed', 500, 500, 200);
    const before = incident.endpoint.requests.length;
    await complete(incident, 'fails-twice');
    await logged(incident, 'delivery.dead_lettered');
    const replayed = await incident.play('Dead letters', [0]);
    expect(replayed).toMatchObject({ code: 0, stdout: expect.stringContaining('\nreplayed: 1\n') as string });
    await incident.endpoint.received(before + 3, 60_000);
    const again = await incident.run(`certificate-webhooks dead-letters replay --configuration ${webhookId}`);
    expect(again.stdout).toContain('replayed before: 1\n');
  });

  it('find why new pods exit, and roll back', async () => {
    await incident.values({ WEBHOOK_KEYS_FILE: '/nowhere' });
    const upgraded = await incident.play('Upgrade and roll back', [0]);
    expect(upgraded).toMatchObject({ code: 1, stderr: expect.stringContaining('deadline exceeded') as string });
    const looked = await incident.play('CertificateWebhooksRollOutStuck', [0]);
    expect(looked.stdout).toContain('CrashLoopBackOff');
    expect(looked.stdout).toMatch(/certificate-webhooks-\d+\/.*error: WEBHOOK_KEYS_FILE is "\/nowhere"/);
    await complete(incident, 'of-the-old-pods');
    await received(incident, 'of-the-old-pods');
    expect(await incident.play('Upgrade and roll back', [1])).toMatchObject({ code: 0 });
    expect(incident.pods.filter(({ exit }) => exit !== undefined)).toEqual([]);
  });

  it('find what is wrong in a file of configurations or credentials, and see that it is right', async () => {
    const { folder } = incident;
    await mkdir(join(folder, 'webhooks'));
    const file = join(folder, 'webhooks', 'webhooks.yaml');
    const valid = JSON.stringify([aConfiguration({ _id: webhookId, _ownerId: ownerId })]);
    await writeFile(file, valid);
    await incident.values({ WEBHOOK_CONFIGURATIONS: `file:${file}` });
    await upgrade(incident);
    const [pod] = incident.pods;
    await pod?.logged('service.started');
    await writeFile(file, '');
    await writeFile(join(folder, 'secrets/certificate-webhooks/KAFKA_SASL_PASSWORD'), '');
    await pod?.logged('configurations.reload_failed');
    await pod?.logged('credentials.reload_failed');
    const looked = await incident.play('CertificateWebhooksReloadFailed', [0]);
    expect(looked.stdout).toContain('webhooks.yaml is empty; to have no configurations, write []');
    expect(looked.stdout).toContain('KAFKA_SASL_PASSWORD_FILE names a file');
    const places = {
      'npx node': `cd ${root}; npx node`,
      'webhooks.yaml': file,
      '/etc/webhooks': join(folder, 'webhooks'),
    };
    const checked = await incident.play('CertificateWebhooksReloadFailed', [1], places);
    expect(checked).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') as string });
    await writeFile(join(folder, 'secrets/certificate-webhooks/KAFKA_SASL_PASSWORD'), 'the-first-password');
    await pod?.logged('credentials.reloaded');
    await incident.run(
      'kubectl -n $NS delete pod $(kubectl -n $NS get pods -l $PODS -o name | tail -n 1 | cut -d / -f 2)',
    );
    expect(await incident.pods[1]?.exited()).toMatchObject({ code: 2 });
    await writeFile(file, valid);
    await pod?.logged('configurations.reloaded');
    const again = await incident.play('CertificateWebhooksReloadFailed', [1], places);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/: ok\n.*: ok\n$/s) as string });
  });
});

async function upgrade(incident: Incident): Promise<void> {
  const { code, stderr } = await incident.run(
    'helm upgrade certificate-webhooks helm/certificate-webhooks -n $NS --values values.yaml',
  );
  if (code !== 0) throw new Error(stderr);
}

function count(output: readonly string[] | undefined, event: string): number {
  return output?.filter((line) => line.includes(`"${event}"`)).length ?? 0;
}
