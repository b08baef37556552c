import { describe, expect, it } from 'vitest';
import { startPrometheus } from '../observability/support/prometheus.ts';
import { root } from '../support/files/sources.ts';
import { connectAdmin, quietClient } from '../support/kafka/client.ts';
import { produce } from '../support/kafka/records.ts';
import { needs } from '../support/programs/needs.ts';
import { eventually } from '../support/time/eventually.ts';
import {
  activeAre,
  answers,
  aWebhook,
  certificate,
  complete,
  configurationsTopic,
  configure,
  finds,
  held,
  isActive,
  isReady,
  prints,
  received,
  remove,
  areUsual,
} from './support/entry.ts';
import { startIncident, webhookId } from './support/incident.ts';

const day = 24 * 3600 * 1000;
const upgrade =
  'helm upgrade certificate-webhooks helm/certificate-webhooks -n $NS --values values.yaml --wait --timeout 15m';

const tools = needs('java', 'maven', 'prometheus');

describe('the incidents that page somebody, played by their entries', { ...tools, timeout: 300_000 }, () => {
  it('CertificateWebhooksAbsent: stopped by somebody, then without committed offsets', async () => {
    const name = 'CertificateWebhooksAbsent';
    await using incident = await startIncident();
    await incident.play('Stop everything', [1]);
    const stopped = await incident.play(name, [0]);
    expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining('0/0') as string });
    const since = new Date().toISOString();
    await complete(incident, 'waits');
    await incident.run('kafka-consumer-groups.sh --bootstrap-server $BROKERS --delete --group certificate-webhooks');
    await incident.values({ CERTIFICATE_START: undefined });
    await incident.run(upgrade);
    await Promise.all(incident.pods.map((pod) => pod.exited()));
    const crashed = await incident.play(name, [0]);
    expect(crashed.code).toBe(0);
    expect(crashed.stdout).toMatch(/Exit Code: +2\n/);
    expect(crashed.stdout).toMatch(/"service.failed".*CERTIFICATE_START/);
    await incident.values({ CERTIFICATE_START: since });
    expect(await incident.run(upgrade)).toMatchObject({ code: 0 });
    await received(incident, 'waits');
    await using prometheus = await startPrometheus(incident.urls());
    await eventually('both pods are scraped', async () => {
      const [samples] = await answers(prometheus, name);
      return samples?.[0]?.value[1] === '2';
    });
  });

  it('CertificateWebhooksHandoffFailing: the right is missing, then the topic', async () => {
    const name = 'CertificateWebhooksHandoffFailing';
    await using incident = await startIncident();
    const { endpoint, cluster } = incident;
    endpoint.script('/certificates', 500);

    const acl = '--bootstrap-server $BROKERS --remove --force --allow-principal User:certificate-webhooks';
    await incident.run(
      `kafka-acls.sh ${acl} --resource-pattern-type prefixed --topic certificate-webhooks. --operation Write`,
    );
    await complete(incident, 'no-right');
    await finds(incident, name, /handoff.failed.*certificate-webhooks.retry.10s.*Not authorized to access topics/);
    await incident.allow(cluster.brokers);
    await isReady(incident);

    await incident.run('kafka-topics.sh --bootstrap-server $BROKERS --delete --topic certificate-webhooks.retry.10s');
    await complete(incident, 'no-topic');
    await finds(incident, name, /handoff.failed.*does not host this topic-partition/);
    const created = await incident.run('certificate-webhooks topics --create || true');
    expect(created.stdout).toContain('made certificate-webhooks.retry.10s');
    await isReady(incident);
  });

  it('CertificateWebhooksNotSettling: the service may not read a topic', async () => {
    const name = 'CertificateWebhooksNotSettling';
    await using incident = await startIncident();
    await using prometheus = await startPrometheus(incident.urls());
    expect((await incident.run('warnings')).stdout).not.toContain('topic.denied');
    const acl = '--bootstrap-server $BROKERS --remove --force --allow-principal User:certificate-webhooks';
    await incident.run(`kafka-acls.sh ${acl} --resource-pattern-type prefixed --topic certificates. --operation Read`);
    await complete(incident, 'waits');
    await finds(incident, name, /topic.denied.*certificates.completed/);
    await eventually('the lag is seen', async () => {
      const [lag] = await answers(prometheus, name);
      return (
        lag?.some(({ metric, value: [, count] }) => metric['topic'] === 'certificates.completed' && count === '1') ??
        false
      );
    });
    await incident.allow(incident.cluster.brokers);
    await received(incident, 'waits');
    await isReady(incident);
    await eventually('the lag is gone', async () => {
      const lag = (await answers(prometheus, name)).at(-1);
      return lag?.every(({ value: [, count] }) => count === '0') ?? false;
    });
  });

  it('CertificateWebhooksRetentionAtRisk and CertificateWebhooksOffsetReset: a record is old, then others are gone', async () => {
    const atRisk = 'CertificateWebhooksRetentionAtRisk';
    const reset = 'CertificateWebhooksOffsetReset';
    await using incident = await startIncident();
    const kafka = quietClient(incident.cluster.brokers);
    const { slowly, release } = held();
    incident.endpoint.script('/certificates', slowly);
    {
      await using prometheus = await startPrometheus(incident.urls());
      const old = { ...certificate('old'), timestamp: Date.now() - 4 * day };
      await produce(kafka, 'certificates.completed', [old]);
      await eventually('the age is seen', async () => {
        const [age] = await answers(prometheus, atRisk);
        return Number(age?.[0]?.value[1]) > 3.9 * 24 * 3600;
      });
      await eventually('the alert is pending', () => isActive(prometheus, atRisk));
      const before = await incident.play(atRisk, [0]);
      expect(before.stdout).toMatch(/retention\.ms=604800000/);
      expect(await incident.play(atRisk, [1])).toMatchObject({ code: 0 });
      const after = await incident.play(atRisk, [0]);
      expect(after.stdout).toMatch(/retention\.ms=1209600000/);
      release();
      await eventually('nothing is unsettled', async () => (await answers(prometheus, atRisk))[0]?.length === 0);
    }
    await incident.play('Stop everything', [1, 2]);
    await produce(
      kafka,
      'certificates.completed',
      ['lost-1', 'lost-2', 'lost-3', 'kept'].map((id) => certificate(id)),
    );
    await using admin = await connectAdmin(kafka);
    await admin.fetchTopicOffsets('certificates.completed');
    await admin.deleteTopicRecords({ topic: 'certificates.completed', partitions: [{ partition: 0, offset: '4' }] });
    await incident.play('Stop everything', [4]);
    await received(incident, 'kept');
    const looked = await incident.play(reset, [0]);
    expect(looked.code).toBe(0);
    expect(looked.stdout).toMatch(/"offset.reset".*"from":1,"to":4,"lostRecords":3/);
    expect(looked.stdout).toMatch(/retention\.ms=1209600000/);
    await using prometheus = await startPrometheus(incident.urls());
    await eventually('the alert fires', () => isActive(prometheus, reset));
  });

  it('CertificateWebhooksFewerConfigurations and CertificateWebhooksNoConfigurations: most are removed, then all', async () => {
    const fewer = 'CertificateWebhooksFewerConfigurations';
    const none = 'CertificateWebhooksNoConfigurations';
    await using incident = await startIncident();
    const ids = Array.from({ length: 9 }, (_, index) => `hook-${index}`);
    await configure(
      incident,
      ids.map((id) => aWebhook(incident, id, `owner-${id}`)),
    );
    await using prometheus = await startPrometheus(incident.urls());
    await eventually('all are active', () => activeAre(prometheus, 10));
    await eventually('ten are usual', async () => areUsual(prometheus, 10));
    await incident.play('Back up the configurations', [0]);

    const since = new Date().toISOString();
    await remove(incident, ids.slice(0, 7));
    await eventually('the alert is pending', () => isActive(prometheus, fewer));
    const missing = await incident.play(fewer, [0]);
    expect(missing).toMatchObject({ code: 0, stdout: `${ids.slice(0, 7).join('\n')}\n` });
    const [states = [], , each = []] = await answers(prometheus, fewer);
    expect(states.find(({ metric }) => metric['state'] === 'active')?.value[1]).toBe('3');
    expect(each.map(({ value: [, count] }) => count)).toEqual(['3', '3']);

    await remove(incident, [...ids.slice(7), webhookId]);
    await eventually('the alert is pending', () => isActive(prometheus, none));
    await complete(incident, 'unclaimed');
    const { stdout } = await incident.play(none, [0]);
    expect(stdout).toContain(configurationsTopic);
    expect(stdout).not.toContain(' active');
    await eventually('nobody gets it', async () => {
      const [sample] = await prometheus.ask('sum(certificate_webhooks_records_settled_total{result="unclaimed"})');
      return sample?.value[1] === '1';
    });
    await incident.play('Stop everything', [1]);
    const restored = await incident.run(
      `file=$PWD/webhooks.jsonl; cd ${root}; KAFKA_BROKERS=$BROKERS DELIVERY_ALLOWED_PORTS=1-65535 DELIVERY_ALLOWED_NETWORKS=127.0.0.0/8 npx node src/main.ts configurations put $file`,
    );
    expect(restored).toMatchObject({ code: 0 });
    const again = await incident.play('Deliver again', [1], { '2026-11-21T06:00:00.000Z': since });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('NEW-OFFSET') as string });
    await incident.play('Deliver again', [2]);
    await received(incident, 'unclaimed');
  });

  it('CertificateWebhooksDeadLetters: an expired delivery and a record that is no certificate', async () => {
    const name = 'CertificateWebhooksDeadLetters';
    await using incident = await startIncident();
    await incident.values({ DELIVERY_MAX_AGE: '1s' });
    expect(await incident.run(upgrade)).toMatchObject({ code: 0 });
    await using prometheus = await startPrometheus(incident.urls());
    await eventually('all pods are scraped', () => activeAre(prometheus, 1));
    incident.endpoint.script('/certificates', 500, 200);
    const records = [certificate('expired'), { value: 'no certificate' }];
    await produce(quietClient(incident.cluster.brokers), 'certificates.completed', records);
    await prints(
      () => incident.play(name, [0]),
      (text) => text.includes(`1 expired ${webhookId} http_error 500`) && /1 undecodable null/.test(text),
    );
    const rejected = await incident.play(name, [1]);
    expect(rejected.stdout).toMatch(/^\{"dead-letter-reason":"undecodable","source-topic":.*"failure-message":"[^"]+/m);
    await eventually('the alert is pending', () => isActive(prometheus, name));
    const replay = 'certificate-webhooks dead-letters replay';
    const replayed = await incident.run(`${replay} --configuration ${webhookId}`);
    expect(replayed).toMatchObject({ code: 0 });
    await eventually('it is sent again', () =>
      Promise.resolve(incident.endpoint.requests.filter(({ body }) => body.includes('expired')).length === 2),
    );
  });
});
