import { inject } from 'vitest';
import { withoutRegistry, type FramedValues } from '../../../src/certificates/framing.ts';
import { runOnTopic, type TopicCommand } from '../../../src/cli/configurations/run-configurations.ts';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { json, type Document } from '../../support/builders.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { readTopic } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { aTerminal } from './terminal.ts';

const brokers = inject('kafka');
export const kafka = quietClient(brokers);

export async function newTopic(partitions = 1): Promise<string> {
  const topic = uniqueName('configurations');
  await createTopics(kafka, [{ topic, partitions, settings: { 'cleanup.policy': 'compact' } }]);
  return topic;
}

type Options = Parameters<typeof aTerminal>[0] & { readonly at?: readonly string[]; readonly framed?: FramedValues };

export async function run(topic: string, command: TopicCommand, options: Options = {}) {
  const { at = brokers, framed = withoutRegistry } = options;
  const { context, out, err } = aTerminal(options);
  const common = { brokers: at, clientId: 'test', log: () => undefined };
  using admin = createKafka({ purpose: 'admin', ...common });
  using writing = createKafka({ purpose: 'writing', ...common });
  const code = await runOnTopic(command, { topic, admin, writing, framed }, context);
  return { code, out, err };
}

/** Writes each document to a file and runs `put` with the files. */
export async function put(
  topic: string,
  documents: readonly Document[],
  { seal = false, refused = false, ...options }: Options & { seal?: boolean; refused?: boolean } = {},
) {
  const files = Object.fromEntries(documents.map((document, index) => [`${index}.json`, json(document)]));
  await using folder = await writeTemporaryFiles(files);
  const paths = Object.keys(files).map((name) => folder.path(name));
  return await run(topic, { verb: 'put', files: paths, seal, refused }, options);
}

export const remove = (...ids: readonly string[]) => ({ verb: 'remove', ids, purge: false, dryRun: false }) as const;

export const list = { verb: 'list', ids: [], owner: undefined, history: false, json: true } as const;

export async function listed(topic: string, options: Options = {}): Promise<readonly unknown[]> {
  return (await run(topic, list, options)).out.map((line): unknown => JSON.parse(line));
}

/** Reads framed values as if each was framed JSON. */
export const framedJson: FramedValues = {
  ...withoutRegistry,
  read: (value) => {
    const bytes = value.subarray(5);
    return { kind: 'json', document: JSON.parse(bytes.toString()) as unknown, bytes };
  },
};

export function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from('0000000001', 'hex'), Buffer.from(text)]);
}

/** Reads the partition, key and value of each record. */
export async function recordsOf(topic: string): Promise<readonly (readonly [number, string, unknown])[]> {
  const records = await readTopic(kafka, topic);
  return records.map(({ partition, key, value }) => [
    partition,
    String(key),
    value === null ? null : (JSON.parse(value.toString()) as unknown),
  ]);
}
