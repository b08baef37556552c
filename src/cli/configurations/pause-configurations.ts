import { writeKeyed, type KeyedRecord } from '../../kafka/producer/keyed-writer.ts';
import { readSnapshot, type TopicSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { withField } from '../../lib/exact-json.ts';
import { isTooDeep, maxDocumentBytes, tooDeep, tooLarge } from '../../webhooks/sealing/document-limits.ts';
import { tryKafka, type ConfigurationsContext, type ConfigurationsTopic, type ExitCode } from './context.ts';
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
  const { out, err, signal } = context;
  const paused = verb === 'pause';
  const code = await tryKafka(topic, context, async (): Promise<0 | 2> => {
    const snapshot = await readSnapshot(topic.admin, topic.topic, signal);
    const timeout = withRegistryTimeout(signal);
    const changes: Change[] = [];
    for (const id of ids) changes.push(await changeOf(id, { paused, snapshot, topic, timeout }));
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

type Change =
  | { readonly kind: 'changed'; readonly record: KeyedRecord }
  | { readonly kind: 'unchanged'; readonly id: string }
  | { readonly kind: 'impossible'; readonly problem: string };

interface ChangeOptions {
  readonly paused: boolean;
  readonly snapshot: TopicSnapshot;
  readonly topic: ConfigurationsTopic;
  /** Ends the wait for schemas. */
  readonly timeout: AbortSignal;
}

async function changeOf(id: string, { paused, snapshot, topic, timeout }: ChangeOptions): Promise<Change> {
  const found = snapshot.newest.get(id);
  if (found === undefined) return impossible(`there is no configuration ${id} in ${topic.topic}`);
  const stored = await readStored(found.value, topic.framed, timeout);
  if (stored.kind === 'unreadable') return impossible(`${id} can't be read: ${stored.problem}`);
  const { paused: isPaused = false } = stored.fields;
  if (isPaused === paused) return { kind: 'unchanged', id };
  if (isTooDeep(stored.fields)) return impossible(`${id} ${tooDeep}`);
  const value = Buffer.from(withField(stored.text, 'paused', paused), 'utf8');
  if (value.length > maxDocumentBytes) return impossible(`${id} ${tooLarge}`);
  return { kind: 'changed', record: { id, value, partition: found.partition } };
}

function impossible(problem: string): Change {
  return { kind: 'impossible', problem };
}
