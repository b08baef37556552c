import { isDeepStrictEqual } from 'node:util';
import { partitionOf } from '../../kafka/producer/key-partition.ts';
import type { KeyedRecord } from '../../kafka/producer/keyed-writer.ts';
import { readSnapshot, type TopicSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { parseExact, parseStrictJson } from '../../lib/strict-json.ts';
import { readStream } from '../../webhooks/files/configuration-files.ts';
import { exactValue } from '../../webhooks/files/document-syntax.ts';
import { isTooDeep, isTooLarge, tooLarge } from '../../webhooks/sealing/document-limits.ts';
import type { SealingKey } from '../../webhooks/sealing/methods.ts';
import type { CommandOf } from '../command.ts';
import { refuse } from '../with-settings.ts';
import { checkFiles, chooseSealingKey, sealEntry, type CheckedFiles } from './files.ts';
import { writeRecords, type ConfigurationsContext, type ConfigurationsTopic } from './stored.ts';

/** Writes configurations to their topic. Writes none and returns exit code 2 if one of them has a problem. */
export async function putConfigurations(
  { files, seal, refused }: CommandOf<'put'>,
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<0 | 2> {
  const { out, err, signal } = context;
  const key = seal ? chooseSealingKey(context) : undefined;
  const options = { readInput: () => readStream(context.input(), signal), refused };
  const checked = await checkFiles(files, seal ? { ...context, requireSealed: false } : context, options);
  if (!checked.isValid || (seal && key === undefined)) return 2;
  const wanted = await sealAll(checked, key);
  const large = [...wanted].filter(([, value]) => isTooLarge(value) || isTooDeep(value));
  const problems = large.map(([id]) => `${id}: ${tooLarge}, and does so once it is sealed`);
  const code = refuse(err, problems);
  if (code !== undefined) return code;
  const snapshot = await readSnapshot(topic.admin, topic.topic, signal);
  const changes = new Map([...wanted].map(([id, value]) => [id, changeOf(id, value, snapshot)]));
  for (const [id, { kind }] of changes) if (kind === 'unchanged') out(`unchanged ${id}`);
  const records = [...changes.values()].flatMap(({ kind, record }) => (kind === 'unchanged' ? [] : [record]));
  await writeRecords(topic, records, (id) => out(`${changes.get(id)?.kind} ${id}`));
  return 0;
}

/** Returns what to write under each id, with its credentials sealed if there is a key. */
async function sealAll(
  { entries, texts }: CheckedFiles,
  key: SealingKey | undefined,
): Promise<ReadonlyMap<string, object>> {
  const wanted = new Map<string, object>();
  const values = new Map([...texts].map(([path, text]) => [path, exactValue(path, text)]));
  for (const checked of entries) {
    const { id, path, position } = checked.entry;
    const sealed = key === undefined ? {} : await sealEntry(checked, key, false);
    const value = values.get(path);
    const own: object = Object(Array.isArray(value) ? value[position - 1] : value);
    wanted.set(id, { ...own, ...sealed });
  }
  return wanted;
}

function changeOf(id: string, value: object, { newest, partitions }: TopicSnapshot) {
  const found = newest.get(id);
  const record: KeyedRecord = {
    id,
    value: Buffer.from(JSON.stringify(value), 'utf8'),
    partition: found?.partition ?? partitionOf(Buffer.from(id, 'utf8'), partitions),
  };
  if (found === undefined) return { kind: 'new', record } as const;
  const isJson = parseStrictJson(found.value).kind === 'json';
  const isSame = isJson && isDeepStrictEqual(parseExact(found.value.toString('utf8')), value);
  return { kind: isSame ? 'unchanged' : 'changed', record } as const;
}
