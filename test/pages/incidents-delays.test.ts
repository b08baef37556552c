import { describe, expect, it } from 'vitest';
import { startPrometheus } from '../observability/support/prometheus.ts';
import { aCertificateDocument, json } from '../support/builders.ts';
import { quietClient } from '../support/kafka/client.ts';
import { produce } from '../support/kafka/records.ts';
import { needs } from '../support/programs/needs.ts';
import { eventually } from '../support/time/eventually.ts';
import { answers, isActive, isReady, received } from './support/entry.ts';
import { ownerId, startIncident, webhookId, type Incident } from './support/incident.ts';

const partitions = Array.from({ length: 12 }, (_, index) => index);
describe('the incidents of the retry topics', { ...needs('java', 'maven', 'prometheus'), timeout: 300_000 }, () => {
  it('CertificateWebhooksRetriesLate: the service may not read a retry topic, and then its retries are late', async () => {
    const name = 'CertificateWebhooksRetriesLate';
    const topic = 'certificate-webhooks.retry.10s';
    await using incident = await startIncident();
    await using prometheus = await startPrometheus(await incident.urls());
    const valueIn = async (query: number, labels: Readonly<Record<string, string>>): Promise<number> => {
      const samples = (await answers(prometheus, name))[query] ?? [];
      const sample = samples.find(({ metric }) =>
        Object.entries(labels).every(([key, value]) => metric[key] === value),
      );
      return Number(sample?.value[1]);
    };
    const acl = '--bootstrap-server $BROKERS --remove --force --allow-principal User:certificate-webhooks';
    await incident.run(
      `kafka-acls.sh ${acl} --resource-pattern-type prefixed --topic certificate-webhooks. --operation Read`,
    );
    await eventually('the pods are refused', async () =>
      Promise.resolve(
        incident.pods.every(({ output }) =>
          output.some((line) => line.includes('topic.denied') && line.includes(topic)),
        ),
      ),
    );
    await writeRetries(incident, topic);
    await eventually('all of them wait', async () => (await valueIn(4, { topic })) === partitions.length);
    expect(await valueIn(2, { topic })).toBe(partitions.length);
    expect(await valueIn(3, { topic })).toBe(0);

    await incident.allow(incident.cluster.brokers);
    await received(incident, `retry-${partitions.length - 1}`);
    await isReady(incident);
    await eventually('the retries are late', async () => (await valueIn(0, { tier: '10s' })) > 0.99);
    await eventually('the alert is pending', () => isActive(prometheus, name));
    expect(await incident.play(name, [0])).toMatchObject({ code: 0 });
    await eventually('records are settled again', async () => (await valueIn(3, { topic })) > 0);
    await eventually('none of them waits', async () => (await valueIn(4, { topic })) === 0);
  });
});

/** Writes a retry into each partition of a tier, as one that was due over a minute ago. */
async function writeRetries({ cluster }: Incident, topic: string): Promise<void> {
  const records = partitions.map((partition) => {
    const id = `retry-${partition}`;
    const headers = {
      'webhook-configuration-id': webhookId,
      'owner-id': ownerId,
      'certificate-id': id,
      'event-type': 'certificate_completed',
      'delivery-id': `certificates.completed/${partition}/0/${webhookId}`,
      attempt: '1',
    };
    const value = json(aCertificateDocument({ _id: id, _ownerId: ownerId }));
    return { key: ownerId, value, headers, partition, timestamp: Date.now() - 80_000 };
  });
  await produce(quietClient(cluster.brokers), topic, records);
}
