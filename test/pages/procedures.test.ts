import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { quietClient } from '../support/kafka/client.ts';
import { produce } from '../support/kafka/records.ts';
import { root } from '../support/files/sources.ts';
import { eventually } from '../support/time/eventually.ts';
import { certificate, complete, finds, logged, readiness, received, untilReady } from './support/entry.ts';
import { startIncident, startSecuredCluster, webhookId, type Incident } from './support/incident.ts';
import { needs } from '../support/programs/needs.ts';

describe('the commands of the procedures, played one after the other', needs('java', 'maven'), () => {
  let incident: Incident;
  beforeAll(async () => {
    incident = await startIncident();
    return () => incident[Symbol.asyncDispose]();
  }, 300_000);
  // The pods keep connections, which would count as leaks of the test.
  afterEach(() => incident.endpoint.closeConnections());

  it('back up the configurations, and restore those that were removed or changed', async () => {
    const backedUp = await incident.play('Back up the configurations', [0, 1]);
    expect(backedUp).toMatchObject({ code: 0, stdout: '1\n1\n' });
    const mode = await incident.run('stat -c %a webhooks.jsonl');
    expect(mode.stdout).toBe('600\n');
    await produce(quietClient(incident.cluster.brokers), 'certificates.webhook-configurations', [
      { key: webhookId, value: null },
    ]);
    const restored = await incident.play('Back up the configurations', [2, 3]);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining(`new ${webhookId}\n`) as string });
    expect(restored.stdout).toMatch(/ active\n$/);
    await complete(incident, 'restored');
    await received(incident, 'restored');
  });

  it('stop everything, and go on', async () => {
    const stopped = await incident.play('Stop everything', [0, 1, 3]);
    const ending = /^[^]* 2\/2\n.*deployment\/certificate-webhooks scaled\n$/;
    expect(stopped).toMatchObject({ code: 0, stdout: expect.stringMatching(ending) as string });
    await complete(incident, 'while-stopped');
    expect(await incident.play('Stop everything', [4])).toMatchObject({ code: 0 });
    await received(incident, 'while-stopped');
  });

  it('restore a configurations topic that was deleted and created with the wrong policy', async () => {
    const { pods } = incident;
    // The backup is there from the test above.
    expect((await incident.run('test -s webhooks.jsonl')).code).toBe(0);
    const topic = '--bootstrap-server $BROKERS --topic certificates.webhook-configurations';
    await incident.run(`kafka-topics.sh ${topic} --delete`);
    await pods[0]?.logged('topics.missing');
    await incident.run(`kafka-topics.sh ${topic} --create`);
    await pods[0]?.logged('configurations.held');
    await complete(incident, 'waiting');
    const looked = await incident.play('The configurations topic is gone', [0]);
    expect(looked.stdout).toContain('set cleanup.policy=compact');
    const restored = await incident.play('The configurations topic is gone', [2, 3]);
    expect(restored.stdout).toContain(`new ${webhookId}`);
    await pods[0]?.logged('configurations.replaced');
    await untilReady(incident);
    const accepted = await incident.play('The configurations topic is gone', [4, 5]);
    expect(accepted).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\[\]\n\[\]\n[^]*\naccepted /) as string,
    });
    const { code, stdout } = await incident.play('The configurations topic is gone', [6]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\[\]\n\[\]\n/)]);
    await received(incident, 'waiting');
  });

  it('release waiting retries early', async () => {
    const { endpoint, cluster } = incident;
    endpoint.script('/certificates', 500, 200);
    const timestamp = Date.parse('2026-11-20T07:00:00Z');
    await produce(quietClient(cluster.brokers), 'certificates.completed', [{ ...certificate('waits'), timestamp }]);
    await received(incident, 'waits');
    const released = await incident.play('Release waiting retries early', [0, 1]);
    expect(released).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('certificate-webhooks.retry.10s') as string,
    });
    await eventually('both are delivered', async () =>
      Promise.resolve(endpoint.requests.filter(({ body }) => body.includes('waits')).length === 3),
    );
    expect(await incident.play('Release waiting retries early', [2])).toMatchObject({ code: 0 });
  });

  it('count the failing webhooks by host', async () => {
    incident.endpoint.script('/certificates', 500);
    for (let count = 0; count < 12; count += 1) await complete(incident, `fails-${count}`);
    await logged(incident, 'circuit.opened');
    const counted = await incident.play('One host behind many webhooks', [0]);
    expect(counted.stdout).toMatch(/^ *1 localhost:\d+\n$/);
    // The pods of the next test would open their circuits again.
    incident.endpoint.script('/certificates', 200);
  });

  it('find that the brokers refuse the login, and set the password of one user', async () => {
    const name = 'CertificateWebhooksNotSettling';
    await incident.run(`kafka-configs.sh --bootstrap-server $BROKERS --alter --entity-type users \\
      --entity-name certificate-webhooks --add-config 'SCRAM-SHA-512=[password=nobody-knows]'
      kubectl -n $NS delete pod -l $PODS`);
    await finds(incident, name, /kafka\.unreachable .* refuse the credentials: look at KAFKA_SASL_USERNAME/);
    const missing = (await readiness(incident)).join('\n');
    expect(missing).toMatch(/"the topics".*"membership in the group certificate-webhooks"/);
    const look = 'kubectl -n $NS get pods -l $PODS; kubectl -n $NS get deployment certificate-webhooks';
    expect((await incident.run(look)).stdout).toMatch(/^NAME +READY.*(\n\S+ +0\/1 +Running){2}\n[^]* 0\/2\n$/);
    expect((await incident.play('Change the SCRAM password', [0])).stdout).toContain(
      'existingSecret: certificate-webhooks',
    );

    const create = 'kubectl -n $NS create secret generic certificate-webhooks --from-literal=KAFKA_SASL_PASSWORD=other';
    expect((await incident.run(create)).stderr).toMatch(/"certificate-webhooks" already exists\n$/);
    const replace = { '$(openssl rand -hex 24)': 'the-first-password' };
    expect(await incident.play('Change the SCRAM password', [6], replace)).toMatchObject({ code: 0 });
    await untilReady(incident);
  });

  it('change the SCRAM password without an interruption', async () => {
    const replace = { '$(openssl rand -hex 24)': 'the-second-password' };
    expect(await incident.play('Change the SCRAM password', [1], replace)).toMatchObject({ code: 0 });
    await incident.values({ KAFKA_SASL_USERNAME: 'certificate-webhooks-2' }, 'certificate-webhooks-2');
    expect(await incident.play('Change the SCRAM password', [2])).toMatchObject({ code: 0 });
    const before = 'export OLD=certificate-webhooks\n';
    const removed = await incident.play('Change the SCRAM password', [3, 4], {
      'kafka-configs.sh': `${before}kafka-configs.sh`,
    });
    expect(removed).toMatchObject({ code: 0 });
    await complete(incident, 'with-the-new-user');
    await received(incident, 'with-the-new-user');
    const { stdout } = await incident.play('Change the SCRAM password', [5]);
    expect(stdout).toContain('[]\n[]\n');
  });

  it('move to another cluster after the old one is lost', async () => {
    await using next = await startSecuredCluster();
    await incident.play('Stop everything', [1]);
    await incident.cluster.kill(1);
    await incident.allow(next.brokers);
    const create = await incident.play('Move to another cluster without a mirror', [2], {
      'new-kafka-1:9093': next.brokers.join(),
      KAFKA_BROKERS: `cd ${root}; KAFKA_BROKERS`,
    });
    expect(create.stdout).toContain('made certificates.webhook-configurations');
    await incident.configure(next.brokers);
    await incident.values({ KAFKA_BROKERS: next.addressesOf('SASL').join(), CERTIFICATE_START: 'earliest' });
    await produce(quietClient(next.brokers), 'certificates.completed', [certificate('written-again')]);
    const moved = await incident.play('Move to another cluster without a mirror', [3]);
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining(webhookId) as string });
    await received(incident, 'written-again');
  });
});
