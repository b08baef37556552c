import { readSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import { oneLine } from '../../lib/one-line.ts';
import type { FramedDocument } from '../../webhooks/framed-document.ts';
import { align } from '../terminal/columns.ts';
import { tryKafka, type ConfigurationsContext, type ConfigurationsTopic } from './context.ts';
import type { ExitCode } from '../with-settings.ts';
import type { CommandOf } from './configurations-command.ts';
import { summarizeConfiguration, type ConfigurationSummary } from './configuration-summary.ts';
import { parseStored, valuesById, withRegistryTimeout } from './stored-configurations.ts';
import { unframe } from './unframe.ts';

/**
 * Prints the configurations in the topic, with the state that the service gives them. Returns exit code 1 if Kafka
 * fails.
 */
export async function listConfigurations(
  { owner, json }: CommandOf<'list'>,
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<ExitCode> {
  const { out, err, signal } = context;
  const snapshot = await tryKafka(topic, context, () => readSnapshot(topic.admin, topic.topic, signal));
  if (snapshot === undefined) return 1;
  const timeout = withRegistryTimeout(signal);
  const summaries: ConfigurationSummary[] = [];
  for (const [id, value] of valuesById(snapshot)) {
    const summary = await summarizeValue(id, await unframe(value, topic.framed, timeout), context);
    if (owner === undefined || summary.ownerId === owner) summaries.push(summary);
  }
  const lines = json ? summaries.map((summary) => JSON.stringify(summary)) : table(summaries);
  for (const line of lines) out(line);
  const refused = summaries.filter(({ state }) => state === 'invalid').length;
  err(`configurations: ${summaries.length}, refused: ${refused}`);
  return 0;
}

async function summarizeValue(
  id: string,
  value: FramedDocument,
  context: ConfigurationsContext,
): Promise<ConfigurationSummary> {
  const parsed = await parseStored(id, value, context);
  if (value.kind === 'refused') return summarizeConfiguration(id, undefined, parsed);
  const json = parseStrictJson(value.bytes);
  return summarizeConfiguration(id, json.kind === 'json' ? json.value : undefined, parsed);
}

function table(summaries: readonly ConfigurationSummary[]): readonly string[] {
  if (summaries.length === 0) return [];
  return align([['ID', 'OWNER', 'HOST', 'EVENTS', 'AUTH', 'SEALED', 'STATE', 'PROBLEMS'], ...summaries.map(row)]);
}

/** Formats one row. `oneLine` bounds the length of foreign texts. */
function row({ id, ownerId, host, events, auth, sealed, state, problems }: ConfigurationSummary): readonly string[] {
  const parts = Object.entries(sealed).map(([part, kid]) => (kid === null ? part : `${part}:${kid}`));
  return [
    id,
    ownerId ?? '-',
    host ?? '-',
    events.map((event) => event.replace('certificate_', '')).join(),
    auth ?? '-',
    parts.join() || '-',
    state,
    problems.join('; '),
  ].map(oneLine);
}
