import { expect, it } from 'vitest';
import { aCertificateDocument, json, type Document } from '../../support/builders.ts';
import { needsKafka } from '../../support/kafka/needs-kafka.ts';
import { startTransactions } from '../../support/kafka/transactions.ts';
import { startPlatform, webhookAt, type Platform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { run, printedCount } from '../../cli/program.ts';

const zeros = Buffer.alloc(4);

/** Writes documents in two aborted transactions that overlap. The one that begins first ends last. */
async function writeAborted({ kafka }: Platform, topic: string, documents: readonly Document[]): Promise<void> {
  await using transactions = await startTransactions(kafka, topic);
  const write = (producer: string) =>
    transactions.write(
      producer,
      documents.map((document) => ({ key: String(document['_id']), value: json(document) })),
    );
  await write('first');
  await write('second');
  await transactions.end('second', 'abort');
  // kafkajs takes such a key for the end of the transaction.
  await transactions.write('first', [{ key: zeros, value: null }]);
  await write('first');
  await transactions.end('first', 'abort');
}

const field = (text: string, name: string): unknown => (JSON.parse(text) as Document)[name];

it('does not deliver a certificate of an aborted transaction, nor finds it for redelivery', needsKafka(), async () => {
  await using platform = await startPlatform({ delays: ['1h'] });
  const { endpoint, environment, topics } = platform;
  await platform.configure(webhookAt(platform, '/hook', { _id: 'mine' }));
  await writeAborted(platform, topics.completed, [aCertificateDocument({ _id: 'aborted' })]);
  const places = await platform.complete(aCertificateDocument({ _id: 'committed' }));
  await using service = await runService(environment);
  expect(await service.settled(topics.completed, places)).toEqual(['delivered']);
  expect(endpoint.requests.map(({ body }) => field(body.toString(), '_id'))).toEqual(['committed']);
  expect(await service.metric(`records_consumed_total{topic="${topics.completed}"}`)).toBe(1);
  const redelivery = await run(
    environment,
    'redeliver',
    '--configuration',
    'mine',
    '--since',
    '2026-01-01T00:00:00Z',
    '--dry-run',
  );
  expect(printedCount(redelivery, 'records of that time')).toBe(1);
});

it('does not apply a configuration of an aborted transaction, nor list it', needsKafka(), async () => {
  await using platform = await startPlatform();
  const { endpoint, environment, topics } = platform;
  await platform.configure(webhookAt(platform, '/committed', { _id: 'committed' }));
  await writeAborted(platform, topics.configurations, [
    webhookAt(platform, '/aborted', { _id: 'aborted' }),
    webhookAt(platform, '/changed', { _id: 'committed' }),
  ]);
  await using service = await runService(environment);
  const places = await platform.complete(aCertificateDocument());
  expect(await service.settled(topics.completed, places)).toEqual(['delivered']);
  expect(endpoint.requests.map(({ path }) => path)).toEqual(['/committed']);
  const { out } = await run(environment, 'configurations', 'list', '--json');
  expect(out.map((line) => field(line, 'configurationId'))).toEqual(['committed']);
});
