import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval as each, setTimeout as pause } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import type { Environment } from '../../../src/settings.ts';
import { createServiceTopics, serviceVariables } from '../../bench/service-topics.ts';
import { aCertificateDocument, aConfiguration, json } from '../../support/builders.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { connectProducer, quietClient } from '../../support/kafka/client.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { stepText } from '../../support/kafka/cluster/progress.ts';
import { startKafka } from '../../support/kafka/cluster/start-kafka.ts';
import { createTopics } from '../../support/kafka/topics.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { eventually } from '../../support/time/eventually.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { RecordedSeries } from './recorded-series.ts';

/** The scrape interval of the chart. */
const intervalMs = 30_000;
const scrapesBefore = 3;
const scrapesAfter = 11;
/** `minReadySeconds` of the chart. */
const minReadyMs = 10_000;
const instances = 6;
const partitions = 12;
const certificates = 'certificates.completed';
/** One certificate in a quarter of a second, each time into another partition. */
const writeEveryMs = 250;
const ownerId = 'owner-of-the-recording';

interface Pod {
  readonly name: string;
  readonly url: string;
  readonly service: ServiceProcess;
  hasExited: boolean;
}

/** Records the samples of a roll-out with the chart's strategy: one more pod first, then the oldest one drains. */
await using stack = new AsyncDisposableStack();
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { brokers } = stack.use(await startKafka({ progress: (step) => print(stepText[step]) }));
const kafka = quietClient(brokers);
const environment = await prepare(kafka, stack);
const stopping = new AbortController();
const recording = new RecordedSeries(certificates);
const pods: Pod[] = [];
for (let started = 0; started < instances; started += 1) await startPod();
const writing = writeCertificates(kafka, stopping.signal);
const scraping = scrapeRepeatedly(stopping.signal);
await recording.reached(scrapesBefore);
for (const old of pods.slice(0, instances)) {
  await startPod();
  await pause(minReadyMs);
  old.service.signal('SIGTERM');
  print(`${old.name} drains`);
}
await Promise.all(pods.slice(0, instances).map(async ({ service }) => service.exited()));
print(`the roll-out ended at scrape ${recording.scrapes}`);
await recording.reached(recording.scrapes + scrapesAfter);
stopping.abort();
await Promise.all([writing, scraping]);
const file = join(import.meta.dirname, 'samples.json');
await writeFile(
  file,
  `${JSON.stringify({ made: madeText(), interval: `${intervalMs / 1000}s`, series: recording.series() }, null, 2)}\n`,
);
print(`${file} is written`);

async function prepare(client: Kafka, owner: AsyncDisposableStack): Promise<Environment> {
  const authority = createAuthority();
  const endpoint = owner.use(await startEndpoint({ identity: authority.issue() }));
  const files = owner.use(await writeTemporaryFiles({ 'authority.pem': authority.certificate }));
  const name = 'certificate-webhooks';
  await createTopics(client, [{ topic: certificates, partitions }]);
  const configuration = aConfiguration({ _id: 'webhook', _ownerId: ownerId, url: endpoint.url('/certificates') });
  const configurations = [{ key: 'webhook', value: json(configuration) }];
  await createServiceTopics(client, name, { partitions, configurations });
  return serviceVariables({ name, certificates, brokers, authorityFile: files.path('authority.pem') });
}

async function startPod(): Promise<void> {
  const port = await findFreePorts(1);
  const name = `pod-${pods.length + 1}`;
  const url = `http://127.0.0.1:${port}`;
  const service = stack.use(new ServiceProcess({ ...environment, HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port) }));
  const pod = { name, url, service, hasExited: false };
  pods.push(pod);
  void service.exited().then(() => (pod.hasExited = true));
  await eventually(`${name} is ready`, async () => (await get(`${url}/readyz`)) !== undefined, { withinMs: 120_000 });
  print(`${name} is ready`);
}

async function writeCertificates(client: Kafka, signal: AbortSignal): Promise<void> {
  await using producer = await connectProducer(client);
  for (let written = 0; !signal.aborted; written += 1) {
    const value = json(aCertificateDocument({ _id: `certificate-${written}`, _ownerId: ownerId }));
    await producer.send({ topic: certificates, messages: [{ partition: written % partitions, key: ownerId, value }] });
    await pause(writeEveryMs);
  }
}

async function scrapeRepeatedly(signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of each(intervalMs, undefined, { signal })) {
      // The system may give the port of an ended process to the next one.
      const targets = pods.filter(({ hasExited }) => !hasExited);
      const texts = await Promise.all(
        targets.map(async ({ name, url }) => ({ name, text: await get(`${url}/metrics`) })),
      );
      recording.add(texts);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Resolves to undefined unless the answer is 200. */
async function get(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) });
    const text = await answer.text();
    return answer.ok ? text : undefined;
  } catch {
    // The process does not listen yet, or has ended.
    return undefined;
  }
}

function madeText(): string {
  return (
    `npm run record:roll-out: ${instances} local processes are replaced as the chart does it, on a real Kafka, ` +
    `with ${partitions} partitions and ${1000 / writeEveryMs} certificates a second`
  );
}
