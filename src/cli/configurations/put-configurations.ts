import { isDeepStrictEqual } from 'node:util';
import { partitionOf } from '../../kafka/producer/key-partition.ts';
import { writeKeyed, type KeyedRecord } from '../../kafka/producer/keyed-writer.ts';
import { readSnapshot, type TopicSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { parseExact } from '../../lib/exact-json.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import { readStream } from '../../webhooks/files/configuration-files.ts';
import { exactValue } from '../../webhooks/files/document-syntax.ts';
import { isTooDeep, isTooLarge, tooLarge } from '../../webhooks/sealing/document-limits.ts';
import type { SealingKey } from '../../webhooks/sealing/sealing-key.ts';
import { tryKafka, type ConfigurationsContext, type ConfigurationsTopic } from './context.ts';
import type { ExitCode } from '../with-settings.ts';
import { checkFiles, type CheckedFiles } from './check-files.ts';
import type { CommandOf } from './configurations-command.ts';
import { chooseSealingKey, sealEntry } from './seal-entry.ts';

/**
 * Writes configurations to their topic. Writes none if one of them has a problem. Returns exit code 1 if Kafka fails,
 * or 2 with problems.
 */
export async function putConfigurations(
  { files, seal, refused }: CommandOf<'put'>,
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<ExitCode> {
  const { out, err, signal } = context;
  const key = seal ? chooseSealingKey(context) : undefined;
  const options = { readInput: () => readStream(context.input(), signal), refused };
  const checked = await checkFiles(files, seal ? { ...context, requireSealed: false } : context, options);
  if (!checked.isValid || (seal && key === undefined)) return 2;
  const wanted = await sealAll(checked, key);
  const large = wanted.filter(({ value }) => isTooLarge(value) || isTooDeep(value));
  for (const { id } of large) err(`error: ${id}: ${tooLarge}, and does so once it is sealed`);
  if (large.length > 0) return 2;
  const result = await tryKafka(topic, context, async () => {
    const snapshot = await readSnapshot(topic.admin, topic.topic, signal);
    const changes = new Map(wanted.map((one) => [one.id, changeOf(one, snapshot)]));
    for (const [id, { kind }] of changes) if (kind === 'unchanged') out(`unchanged ${id}`);
    const records = [...changes.values()].flatMap(({ kind, record }) => (kind === 'unchanged' ? [] : [record]));
    await writeKeyed({ kafka: topic.writing, topic: topic.topic }, records, (ids) => {
      for (const id of ids) out(`${changes.get(id)?.kind} ${id}`);
    });
    return 'written';
  });
  return result === undefined ? 1 : 0;
}

interface WantedConfiguration {
  readonly id: string;
  readonly value: object;
}

/** Returns what to write for each entry, with its credentials sealed if there is a key. */
async function sealAll(
  { entries, texts }: CheckedFiles,
  key: SealingKey | undefined,
): Promise<readonly WantedConfiguration[]> {
  const wanted: WantedConfiguration[] = [];
  const values = new Map([...texts].map(([path, text]) => [path, exactValue(path, text)]));
  for (const checked of entries) {
    const { id, path, position } = checked.entry;
    const sealed = key === undefined ? {} : await sealEntry(checked, key, false);
    const value = values.get(path);
    const own: object = Object(Array.isArray(value) ? value[position - 1] : value);
    wanted.push({ id, value: { ...own, ...sealed } });
  }
  return wanted;
}

interface PutChange {
  readonly kind: 'new' | 'changed' | 'unchanged';
  readonly record: KeyedRecord;
}

function changeOf({ id, value }: WantedConfiguration, { newest, partitions }: TopicSnapshot): PutChange {
  const found = newest.get(id);
  const record = {
    id,
    value: Buffer.from(JSON.stringify(value), 'utf8'),
    partition: found?.partition ?? partitionOf(Buffer.from(id, 'utf8'), partitions),
  };
  if (found === undefined) return { kind: 'new', record };
  const isJson = parseStrictJson(found.value).kind === 'json';
  const isSame = isJson && isDeepStrictEqual(parseExact(found.value.toString('utf8')), value);
  return { kind: isSame ? 'unchanged' : 'changed', record };
}
