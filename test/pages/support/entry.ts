import type { Prometheus } from '../../observability/support/prometheus.ts';
import { aCertificateDocument, aConfiguration, json } from '../../support/builders.ts';
import { status, type Answer } from '../../support/endpoints/answers.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { produce } from '../../support/kafka/records.ts';
import { eventually } from '../../support/time/eventually.ts';
import { ownerId, queriesIn, type Incident } from './incident.ts';
import type { Output } from './operations-shell.ts';

export const configurationsTopic = 'certificates.webhook-configurations';

/** Plays the first commands of the entry until they show the cause, and that a pod is not ready. */
export async function finds(incident: Incident, name: string, cause: RegExp): Promise<void> {
  await untilReadiness(incident, (missing) => missing.some((text) => text !== '[]'));
  await prints(
    () => incident.play(name, [0]),
    (text) => cause.test(text) && /^\[".*"\]$/m.test(text),
  );
}

export async function isReady(incident: Incident): Promise<void> {
  await untilReady(incident);
  await prints(
    () => incident.run('ask /readyz'),
    (text) => text === '[]\n[]\n',
  );
}

/** Waits until all pods are ready. */
export async function untilReady(incident: Incident): Promise<void> {
  await untilReadiness(incident, (missing) => missing.every((text) => text === '[]'));
}

/** Waits for what the pods miss. The commands of a page, which start many processes, then need no second try. */
async function untilReadiness(incident: Incident, isExpected: (missing: readonly string[]) => boolean): Promise<void> {
  await eventually('the pods miss what is expected', async () => isExpected(await readiness(incident)));
}

/** Resolves to what each pod that runs answers: what it misses, or that it can't be reached. */
export function readiness(incident: Incident): Promise<readonly string[]> {
  const ask = async (url: string): Promise<string> => {
    const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) };
    return fetch(`${url}/readyz`, options).then(async (answer) => (await answer.text()).trim(), String);
  };
  return Promise.all(incident.urls().map(ask));
}

/** Repeats a command until it prints what is expected. */
export async function prints(run: () => Promise<Output>, isExpected: (text: string) => boolean): Promise<void> {
  let last: Output | undefined;
  const ask = async (): Promise<boolean> => {
    last = await run();
    return isExpected(last.stdout);
  };
  await eventually('it prints what is expected', ask).catch((error: unknown) => {
    throw new Error(`It printed:\n${last?.stdout}\n${last?.stderr}`, { cause: error });
  });
}

/** Runs all queries of an entry as they stand. */
export async function answers(
  prometheus: Prometheus,
  name: string,
): Promise<readonly Awaited<ReturnType<Prometheus['ask']>>[]> {
  return Promise.all(queriesIn(name).map((query) => prometheus.ask(query)));
}

export async function isActive(prometheus: Prometheus, name: string): Promise<boolean> {
  const rules = await prometheus.rules();
  return rules.some((rule) => rule.name === name && (rule.state === 'pending' || rule.state === 'firing'));
}

export async function activeAre(prometheus: Prometheus, count: number): Promise<boolean> {
  const samples = await prometheus.ask('certificate_webhooks_webhook_configurations{state="active"}');
  return samples.length === 2 && samples.every(({ value: [, number] }) => number === String(count));
}

/**
 * Returns whether nine in ten of at least twenty samples have this count. With fewer, other counts become usual before a
 * busy machine has evaluated the alert.
 */
export async function areUsual(prometheus: Prometheus, count: number): Promise<boolean> {
  const active = 'job:certificate_webhooks_configurations_active:min[1d]';
  const [samples] = await prometheus.ask(`count_over_time(${active})`);
  const [lowest] = await prometheus.ask(`quantile_over_time(0.1, ${active})`);
  return Number(samples?.value[1]) >= 20 && lowest?.value[1] === String(count);
}

/** An answer that waits for its release. */
export function held(): { readonly slowly: Answer; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return { slowly: (exchange) => void promise.then(() => status(200)(exchange)), release: () => resolve(undefined) };
}

export function aWebhook({ endpoint }: Incident, id: string, owner: string): object {
  return aConfiguration({ _id: id, _ownerId: owner, url: endpoint.url('/certificates') });
}

export async function configure({ cluster }: Incident, documents: readonly object[]): Promise<void> {
  const records = documents.map((document) => ({ key: String(Reflect.get(document, '_id')), value: json(document) }));
  await produce(quietClient(cluster.brokers), configurationsTopic, records);
}

export async function remove({ cluster }: Incident, ids: readonly string[]): Promise<void> {
  await produce(
    quietClient(cluster.brokers),
    configurationsTopic,
    ids.map((key) => ({ key, value: null })),
  );
}

export function certificate(id: string): { readonly key: string; readonly value: Buffer } {
  return { key: ownerId, value: json(aCertificateDocument({ _id: id, _ownerId: ownerId })) };
}

/** Writes certificates with these ids, or values as they are. */
export async function complete({ cluster }: Incident, ...all: readonly (string | Buffer)[]): Promise<void> {
  const records = all.map((one) => (typeof one === 'string' ? certificate(one) : { key: ownerId, value: one }));
  await produce(quietClient(cluster.brokers), 'certificates.completed', records);
}

export async function received({ endpoint }: Incident, id: string): Promise<void> {
  await eventually(`${id} arrives`, async () =>
    Promise.resolve(endpoint.requests.some(({ body }) => body.includes(id))),
  );
}

/** Waits until one of the pods has logged the event. */
export async function logged({ pods }: Incident, event: string): Promise<void> {
  await eventually(`a pod logs ${event}`, async () =>
    Promise.resolve(pods.some(({ output }) => output.some((line) => line.includes(`"${event}"`)))),
  );
}
