import { isDeepStrictEqual } from 'node:util';
import { partitionOf, writeKeyed, type KeyedRecord } from '../../kafka/producer/keyed-writer.ts';
import { readSnapshot, type TopicSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import type { CheckedEntry } from '../../webhooks/check-configuration.ts';
import { tryKafka, type ConfigurationsContext, type ConfigurationsTopic, type ExitCode } from './context.ts';
import { checkFiles } from './judge.ts';
import { chooseSealingKey, sealEntry } from './seal-entry.ts';

interface PutCommand {
  readonly files: readonly string[];
  /** Seals what stands in clear before it is written. */
  readonly seal: boolean;
}

/** Writes configurations to their topic: all of them, or none when one has a problem. Exit code 2: told what it is. */
export async function putConfigurations(
  { files, seal }: PutCommand,
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<ExitCode> {
  const { out, signal } = context;
  const key = seal ? chooseSealingKey(context) : undefined;
  const judged = await checkFiles(files, seal ? { ...context, requireSealed: false } : context);
  if (!judged.isValid || (seal && key === undefined)) return 2;
  const wanted: Wanted[] = [];
  for (const checked of judged.entries) {
    const sealed = key === undefined ? {} : await sealEntry(checked, key, false);
    wanted.push({ id: checked.entry.id, value: { ...objectOf(checked), ...sealed } });
  }
  const done = await tryKafka(topic, context, async () => {
    const snapshot = await readSnapshot(topic.admin, topic.topic, signal);
    const changes = new Map(wanted.map((one) => [one.id, changeOf(one, snapshot)]));
    for (const [id, { what }] of changes) if (what === 'unchanged') out(`unchanged ${id}`);
    const records = [...changes.values()].flatMap(({ what, record }) => (what === 'unchanged' ? [] : [record]));
    await writeKeyed({ kafka: topic.writing, topic: topic.topic }, records, (ids) => {
      for (const id of ids) out(`${changes.get(id)?.what} ${id}`);
    });
    return 'written';
  });
  return done === undefined ? 1 : 0;
}

interface Wanted {
  readonly id: string;
  readonly value: object;
}

interface Change {
  readonly what: 'new' | 'changed' | 'unchanged';
  readonly record: KeyedRecord;
}

function changeOf({ id, value }: Wanted, { newest, partitions }: TopicSnapshot): Change {
  const found = newest.get(id);
  const record = {
    id,
    value: Buffer.from(JSON.stringify(value), 'utf8'),
    partition: found?.partition ?? partitionOf(id, partitions),
  };
  if (found === undefined) return { what: 'new', record };
  const json = parseStrictJson(found.value);
  return { what: json.kind === 'json' && isDeepStrictEqual(json.value, value) ? 'unchanged' : 'changed', record };
}

/** What was found to be valid is one. */
function objectOf({ entry }: CheckedEntry): object {
  return typeof entry.value === 'object' && entry.value !== null ? entry.value : {};
}
