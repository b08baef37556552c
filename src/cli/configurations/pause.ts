import type { KeyedRecord } from '../../kafka/producer/keyed-writer.ts';
import { readSnapshot, type TopicSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { parseExact } from '../../lib/strict-json.ts';
import { isTooDeep, maxDocumentBytes, tooDeep, tooLarge } from '../../webhooks/sealing/document-limits.ts';
import type { CommandOf } from '../command.ts';
import { refuse } from '../with-settings.ts';
import {
  writeRecords,
  type ConfigurationsContext,
  type ConfigurationsTopic,
  readStored,
  withRegistryTimeout,
} from './stored.ts';

/**
 * Pauses or resumes configurations in their topic, without opening their sealed parts. Changes none and returns exit code 2
 * if one has a problem.
 */
export async function pauseConfigurations(
  { ids, verb }: CommandOf<'pause' | 'resume'>,
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<0 | 2> {
  const { out, err } = context;
  const paused = verb === 'pause';
  const changes = await changesOf(ids, { paused, topic }, context);
  const problems = changes.flatMap((change) => (change.kind === 'impossible' ? [change.problem] : []));
  const code = refuse(err, problems);
  if (code !== undefined) return code;
  for (const change of changes) if (change.kind === 'unchanged') out(`unchanged ${change.id}`);
  const records = changes.flatMap((change) => (change.kind === 'changed' ? [change.record] : []));
  await writeRecords(topic, records, (id) => out(`${paused ? 'paused' : 'resumed'} ${id}`));
  return 0;
}

type PauseChange =
  | { readonly kind: 'changed'; readonly record: KeyedRecord }
  | { readonly kind: 'unchanged'; readonly id: string }
  | { readonly kind: 'impossible'; readonly problem: string };

/** Returns the changes of the versions that are the newest right before the write. Kafka can't compare and write in one. */
async function changesOf(
  ids: readonly string[],
  { topic, paused }: Pick<ChangeOptions, 'topic' | 'paused'>,
  { err, signal }: ConfigurationsContext,
): Promise<readonly PauseChange[]> {
  const timeout = withRegistryTimeout(signal);
  for (let snapshot = await readSnapshot(topic.admin, topic.topic, signal); ;) {
    const options = { paused, snapshot, topic, timeout };
    const changes = await Promise.all(ids.map((id) => changeOf(id, options)));
    snapshot = await readSnapshot(topic.admin, topic.topic, signal, { before: snapshot });
    const overtaken = ids.filter((id) => snapshot.newest.get(id) !== options.snapshot.newest.get(id));
    if (overtaken.length === 0) return changes;
    for (const id of overtaken) err(`note: ${id} was changed at the same time: its new version counts`);
  }
}

interface ChangeOptions {
  readonly paused: boolean;
  readonly snapshot: TopicSnapshot;
  readonly topic: ConfigurationsTopic;
  /** Ends the wait for schemas. */
  readonly timeout: AbortSignal;
}

async function changeOf(id: string, { paused, snapshot, topic, timeout }: ChangeOptions): Promise<PauseChange> {
  const found = snapshot.newest.get(id);
  if (found === undefined) return impossible(`there is no configuration ${id} in ${topic.topic}`);
  const stored = await readStored(found.value, topic.framed, timeout);
  if (stored.kind === 'unreadable') return impossible(`${id} can't be read: ${stored.problem}`);
  const { paused: isPaused = false } = stored.fields;
  if (isPaused === paused) return { kind: 'unchanged', id };
  if (isTooDeep(stored.fields)) return impossible(`${id} ${tooDeep}`);
  const value = Buffer.from(JSON.stringify({ ...Object(parseExact(stored.text)), paused }), 'utf8');
  if (value.length > maxDocumentBytes) return impossible(`${id} ${tooLarge}`);
  return { kind: 'changed', record: { id, value, partition: found.partition } };
}

function impossible(problem: string): PauseChange {
  return { kind: 'impossible', problem };
}
