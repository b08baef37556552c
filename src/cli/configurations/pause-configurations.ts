import { writeKeyed, type KeyedRecord } from '../../kafka/producer/keyed-writer.ts';
import { readSnapshot, type TopicSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { parseExact } from '../../lib/exact-json.ts';
import { isTooDeep, maxDocumentBytes, tooDeep, tooLarge } from '../../webhooks/sealing/document-limits.ts';
import { tryKafka, type ConfigurationsContext, type ConfigurationsTopic } from './context.ts';
import type { ExitCode } from '../with-settings.ts';
import type { CommandOf } from './configurations-command.ts';
import { readStored, withRegistryTimeout } from './stored-configurations.ts';

/**
 * Pauses or resumes configurations in their topic, without opening their sealed parts. Changes none if one has a
 * problem. Returns exit code 1 if Kafka fails, or 2 with problems.
 */
export async function pauseConfigurations(
  { ids, verb }: CommandOf<'pause' | 'resume'>,
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<ExitCode> {
  const { out, err } = context;
  const paused = verb === 'pause';
  const code = await tryKafka(topic, context, async (): Promise<0 | 2> => {
    const changes = await changesOf(ids, { paused, topic }, context);
    const problems = changes.flatMap((change) => (change.kind === 'impossible' ? [change.problem] : []));
    for (const problem of problems) err(`error: ${problem}`);
    if (problems.length > 0) return 2;
    for (const change of changes) if (change.kind === 'unchanged') out(`unchanged ${change.id}`);
    const records = changes.flatMap((change) => (change.kind === 'changed' ? [change.record] : []));
    await writeKeyed({ kafka: topic.writing, topic: topic.topic }, records, (written) => {
      for (const id of written) out(`${paused ? 'paused' : 'resumed'} ${id}`);
    });
    return 0;
  });
  return code ?? 1;
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
