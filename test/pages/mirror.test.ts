import { describe, expect, it } from 'vitest';
import { aCertificateDocument, json } from '../support/builders.ts';
import { root } from '../support/files/sources.ts';
import { quietClient } from '../support/kafka/client.ts';
import type { LocalCluster } from '../support/kafka/cluster/local-cluster.ts';
import { committedOffsets } from '../support/kafka/commits.ts';
import { readProgress, type GroupTopic } from '../support/kafka/lag.ts';
import { produce, readTopic } from '../support/kafka/records.ts';
import { needs } from '../support/programs/needs.ts';
import type { ServiceProcess } from '../support/service/service-process.ts';
import { eventually } from '../support/time/eventually.ts';
import { untilReady } from './support/entry.ts';
import { fewTiers, ownerId, startIncident, startSecuredCluster, webhookId, type Incident } from './support/incident.ts';
import { isTranslated, startMirror } from './support/mirror.ts';
import { blocksBelow, readPage } from '../docs/support/page.ts';

const heading = 'Move to another cluster with a mirror';
const [properties = ''] = blocksBelow(readPage('docs/procedures.md'), heading, 'properties');
const reads: readonly GroupTopic[] = [
  { group: 'certificate-webhooks', topic: 'certificates.completed' },
  { group: 'certificate-webhooks.retry', topic: 'certificate-webhooks.retry.10s' },
  { group: 'certificate-webhooks.retry', topic: 'certificate-webhooks.retry.1m' },
];
/** The commit with which the service remembers how many configurations there were. */
const memory = { group: 'certificate-webhooks.configurations', topic: 'certificate-webhooks.dead-letter' };

describe('the commands of a move with a mirror, played with MirrorMaker 2', needs('java', 'maven'), () => {
  it('move waiting retries and unread certificates, and repeat what the page says', { timeout: 300_000 }, async () => {
    await using incident = await startIncident();
    await using next = await startSecuredCluster();
    await using resources = new AsyncDisposableStack();
    const { cluster, endpoint } = incident;
    await incident.allow(next.brokers);
    const addresses = { 'new-kafka-1:9093': next.brokers.join(), 'kafka-1:9093': cluster.brokers.join() };
    const filledIn = Object.entries(addresses).reduce((text, [from, to]) => text.replace(from, to), properties);
    const mirror = resources.use(await startMirror({ properties: filledIn, folder: incident.folder }));

    // MirrorMaker translates offsets only in partitions with records, and the memory is in one of dead letters.
    await produce(quietClient(cluster.brokers), 'certificates.completed', [{ value: 'no certificate' }]);
    endpoint.script('/certificates', 500, 500, 200);
    await complete(cluster, { name: 'retried', count: 2 });
    await endpoint.received(4, 60_000);
    await untilMirrored(incident, next);
    // It then copies what follows in few batches. So it knows few pairs of offsets, and translates to lower ones.
    mirror.freeze();
    await complete(cluster, { name: 'delivered', count: 30 });
    await complete(cluster, { name: 'without-lag', count: 10, partition: 1 });
    await endpoint.received(44);
    endpoint.script('/certificates', 500);
    const waiting = await complete(cluster, { name: 'waiting', count: 3 });
    await endpoint.received(47);
    const podsBefore = incident.pods;
    expect(await incident.play('Stop everything', [1])).toMatchObject({ code: 0 });
    const unread = await complete(cluster, { name: 'unread', count: 20 });
    mirror.thaw();
    await eventually('the offsets are translated', async () => {
      const { stdout } = await incident.play(heading, [1], addresses);
      return isTranslated(stdout);
    });
    await resources.disposeAsync();

    expect(await committedOffsets(quietClient(next.brokers), memory)).toStrictEqual(
      await committedOffsets(quietClient(cluster.brokers), memory),
    );
    const expected = (await Promise.all(reads.map((read) => idsToRead(next, read)))).flat();
    endpoint.script('/certificates', 200);
    await incident.values({ KAFKA_BROKERS: next.addressesOf('SASL').join(), CERTIFICATE_START: '' });
    expect(await incident.play(heading, [2])).toMatchObject({ code: 0 });
    await eventually('nothing is left', async () => {
      const progress = await readProgress(quietClient(next.brokers), reads);
      return Object.values(progress).every(({ lag }) => lag === 0);
    });
    const sent = endpoint.requests.slice(47).flatMap(({ body }) => idsIn(body));
    expect(sent.toSorted()).toStrictEqual(expected.toSorted());
    expect(sent).toStrictEqual(expect.arrayContaining([...waiting, ...unread]));
    expect(sent.filter((id) => id.startsWith('without-lag'))).toStrictEqual([]);
    const before = deliveries(podsBefore);
    const fresh = [...deliveries(incident.pods)].filter(([id]) => !before.has(id));
    expect(fresh.map(([, certificate]) => certificate).toSorted()).toStrictEqual(unread.toSorted());
    await untilReady(incident);
    const { code, stdout } = await incident.play(heading, [3], { $NEW: next.brokers.join() });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\[\]\n\[\]\n/)]);
  });
});

/** Writes certificates of one name. Resolves to their ids. */
async function complete(
  { brokers }: LocalCluster,
  { name, count, partition = 0 }: { readonly name: string; readonly count: number; readonly partition?: number },
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const records = ids.map((id) => ({
    key: ownerId,
    value: json(aCertificateDocument({ _id: id, _ownerId: ownerId })),
    partition,
  }));
  await produce(quietClient(brokers), 'certificates.completed', records);
  return ids;
}

/** Checks the new cluster as the page says, until it has the configuration. */
async function untilMirrored(incident: Incident, next: LocalCluster): Promise<void> {
  const inCheckout = `cd ${root}; RETRY_DELAYS=${fewTiers.RETRY_DELAYS} KAFKA_BROKERS=${next.brokers.join()}`;
  await eventually('the configuration is mirrored', async () => {
    const { stdout } = await incident.play(heading, [0], { 'KAFKA_BROKERS=new-kafka-1:9093': inCheckout });
    return stdout.includes(webhookId);
  });
}

/** Returns the certificates in the records from the group's offset on. */
async function idsToRead({ brokers }: LocalCluster, read: GroupTopic): Promise<readonly string[]> {
  const kafka = quietClient(brokers);
  const commits = await committedOffsets(kafka, read);
  const offsets = new Map(commits.map(({ partition, offset }) => [partition, offset]));
  const records = await readTopic(kafka, read.topic);
  return records
    .filter(({ partition, offset }) => offset >= (offsets.get(partition) ?? 0))
    .flatMap(({ value }) => idsIn(value));
}

/** Returns the id of a certificate, or nothing if it is none. */
function idsIn(body: Buffer | null): readonly string[] {
  return /"_id":"([^"]+)"/.exec(String(body))?.slice(1) ?? [];
}

/** Returns the certificate of each delivery that was attempted, by the id of the delivery. */
function deliveries(pods: readonly ServiceProcess[]): ReadonlyMap<string, string> {
  const lines = pods.flatMap(({ output }) => output).filter((line) => line.includes('"delivery.attempted"'));
  const parsed = lines.map((line) => JSON.parse(line) as Readonly<Record<'deliveryId' | 'certificateId', string>>);
  return new Map(parsed.map(({ deliveryId, certificateId }) => [deliveryId, certificateId]));
}
