import { describe, expect, it } from 'vitest';
import { lengthInHistory, record, startAfter, type Recording } from '../observability/support/history.ts';
import { startPrometheus, type Prometheus } from '../observability/support/prometheus.ts';
import { aCertificateDocument, json } from '../support/builders.ts';
import { later, status } from '../support/endpoints/answers.ts';
import { quietClient } from '../support/kafka/client.ts';
import { produce } from '../support/kafka/records.ts';
import { needs } from '../support/programs/needs.ts';
import { eventually } from '../support/time/eventually.ts';
import { activeAre, answers, finds, isActive, isReady, received } from './support/entry.ts';
import { ownerId, queriesIn, startIncident, webhookId, type Incident } from './support/incident.ts';

const hourSeconds = 3600;
const partitions = Array.from({ length: 12 }, (_, index) => index);
const burn = 'CertificateWebhooksBudgetBurn';

/** The series that the queries and the rules of that entry use. */
const burnSeries =
  '{__name__=~"certificate_webhooks_(queue_delay_seconds_(count|bucket)|retry_lateness_seconds_count|delivery_attempts_total|oldest_unsettled_record_timestamp_seconds|paused_partitions|rebalances_total|consumer_lag_records)",le=~"|60([.]0)?",topic!~".+[.][0-9]+(ms|s|m|h)"}';

const tools = needs('java', 'maven', 'prometheus', 'promtool');

describe('the incidents that last for days', { ...tools, timeout: 240_000 }, () => {
  it('CertificateWebhooksBudgetBurn: a pod is suspended now and then', async () => {
    await using incident = await startIncident();
    const usual = await recordUsual(incident);
    const suspended = await recordSuspension(incident);
    const looked = await incident.play('CertificateWebhooksRebalanceStorm', [0]);
    expect(looked.stdout).toMatch(/ certificate-webhooks-1 crashed .*ProcessPausedError/);
    await incident.run('kubectl -n $NS delete pod certificate-webhooks-1');
    const again = await recordUsual(incident);

    const often = [suspended.recording, ...usual.several(suspended.late / 0.0045)];
    {
      await using prometheus = await startAfter(repeated(often, 72 * hourSeconds), burn);
      await eventually('the alert fires', () => fires(prometheus, burn), { withinMs: 40_000 });
      expect(await fires(prometheus, 'CertificateWebhooksQueueDelay')).toBe(false);
      const [late, , rebalances] = await draw(prometheus);
      expect(late.size).toBeGreaterThan(100);
      expect([...late.keys()].filter((time) => !rebalances?.has(time))).toEqual([]);
    }
    const quiet = repeated(again.several(4000), 7 * hourSeconds);
    await using prometheus = await startAfter([...repeated(often, 65 * hourSeconds), ...quiet], burn);
    await eventually('the alert is over', async () => {
      const shares = await Promise.all(
        queriesIn(burn)
          .slice(-2)
          .map((query) => prometheus.ask(query)),
      );
      return shares.every(([share]) => Number(share?.value[1]) < 0.001);
    });
    expect(await isActive(prometheus, burn)).toBe(false);
  });
});

describe('the incidents of the retry topics', { ...needs('java', 'maven', 'prometheus'), timeout: 120_000 }, () => {
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
    await finds(incident, 'CertificateWebhooksNotSettling', /topic.denied.*certificate-webhooks\.retry\.10s/);

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

interface Usual {
  /** Returns the recording as often as is needed for that number of certificates. */
  several(certificates: number): readonly Recording[];
}

/** Records how 400 certificates are delivered in time. */
async function recordUsual(incident: Incident): Promise<Usual> {
  const count = 400;
  await using prometheus = await startPrometheus(await incident.urls());
  await eventually('all pods are scraped', () => activeAre(prometheus, 1));
  const before = await started(prometheus);
  const recording = await record(prometheus, burnSeries, async () => {
    await complete(
      incident,
      Array.from({ length: count }, (_, index) => ({ partition: index % partitions.length })),
    );
    await eventually('all are delivered', async () => (await started(prometheus)) === before + count);
  });
  return { several: (certificates) => Array.from({ length: Math.round(certificates / count) }, () => recording) };
}

/** Records how a pod is suspended until another one has its partitions, and certificates wait for that. */
async function recordSuspension(incident: Incident): Promise<{ readonly recording: Recording; readonly late: number }> {
  const [pod, other] = incident.pods;
  await using prometheus = await startPrometheus(await incident.urls());
  await eventually('all pods are scraped', () => activeAre(prometheus, 1));
  const before = await started(prometheus);
  const joined = other?.output.filter((line) => line.includes('"consumer.joined"')).length ?? 0;
  const recording = await record(prometheus, burnSeries, async () => {
    pod?.signal('SIGSTOP');
    // A scrape has to see a certificate that waits.
    incident.endpoint.script('/certificates', later(2500, status(200)));
    // A minute is too long for a test. So these certificates have waited for most of it before the pod is suspended.
    const timestamp = Date.now() - 56_000;
    await complete(
      incident,
      partitions.map((partition) => ({ partition, timestamp })),
    );
    await other?.logged('consumer.joined', joined + 2);
    pod?.signal('SIGCONT');
    await pod?.logged('consumer.crashed', 2);
    await eventually('all are delivered', async () => (await started(prometheus)) === before + partitions.length);
  });
  incident.endpoint.script('/certificates', 200);
  const late = before + partitions.length - (await inTime(prometheus));
  return { recording, late };
}

async function started(prometheus: Prometheus): Promise<number> {
  return valueOf(prometheus, 'sum(certificate_webhooks_queue_delay_seconds_count)');
}

async function inTime(prometheus: Prometheus): Promise<number> {
  return valueOf(prometheus, 'sum(certificate_webhooks_queue_delay_seconds_bucket{le=~"60([.]0)?"})');
}

async function valueOf(prometheus: Prometheus, query: string): Promise<number> {
  const [sample] = await prometheus.ask(query);
  return Number(sample?.value[1]);
}

async function complete(
  { cluster }: Incident,
  places: readonly { readonly partition: number; readonly timestamp?: number }[],
): Promise<void> {
  const records = places.map((place, index) => ({
    key: ownerId,
    value: json(aCertificateDocument({ _id: `certificate-${index}`, _ownerId: ownerId })),
    ...place,
  }));
  await produce(quietClient(cluster.brokers), 'certificates.completed', records);
}

/** Repeats recordings until they are as long as that in a history. */
function repeated(recordings: readonly Recording[], seconds: number): readonly Recording[] {
  const length = recordings.reduce((sum, recording) => sum + lengthInHistory(recording), 0);
  return Array.from({ length: Math.ceil(seconds / length) }, () => recordings).flat();
}

async function fires(prometheus: Prometheus, name: string): Promise<boolean> {
  const rules = await prometheus.rules();
  return rules.some((rule) => rule.name === name && rule.state === 'firing');
}

/** Draws the first queries of the entry over three days. Resolves to the times at which each is above a thousandth. */
async function draw(
  prometheus: Awaited<ReturnType<typeof startAfter>>,
): Promise<readonly [ReadonlySet<number>, ...ReadonlySet<number>[]]> {
  const range = { from: prometheus.end - 72 * hourSeconds, to: prometheus.end, step: 120 };
  const above = async (query: string): Promise<ReadonlySet<number>> => {
    const series = await prometheus.over(query, range);
    return new Set(
      series.flatMap(({ values }) => values.filter(([, value]) => Number(value) > 0.001).map(([time]) => time)),
    );
  };
  const [first = '', ...others] = queriesIn(burn).slice(0, 4);
  return [await above(first), ...(await Promise.all(others.map(above)))];
}
