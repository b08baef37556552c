import { readSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import type { FramedDocument } from '../../webhooks/parse-bytes.ts';
import { readHeader } from '../../webhooks/sealing/jwe-header.ts';
import {
  isSealableDocument,
  sealableParts,
  type SealableDocument,
  type SealablePart,
} from '../../webhooks/sealing/sealable-parts.ts';
import { summarize } from '../../webhooks/stored-webhook.ts';
import type { CommandOf } from '../command.ts';
import { table, type Columns } from '../terminal/columns.ts';
import {
  type ConfigurationsContext,
  type ConfigurationsTopic,
  parseStored,
  unframe,
  valuesById,
  withRegistryTimeout,
} from './stored.ts';

/** Prints the configurations in the topic, with the state that the service gives them. */
export async function listConfigurations(
  { ids, owner, json }: CommandOf<'list'>,
  topic: ConfigurationsTopic,
  context: ConfigurationsContext,
): Promise<0> {
  const { out, err, signal } = context;
  const snapshot = await readSnapshot(topic.admin, topic.topic, signal);
  const timeout = withRegistryTimeout(signal);
  const summaries: ConfigurationSummary[] = [];
  for (const [id, value] of valuesById(snapshot)) {
    if (ids.length > 0 && !ids.includes(id)) continue;
    const summary = await summarizeConfiguration(id, await unframe(value, topic.framed, timeout), context);
    if (owner === undefined || summary.ownerId === owner) summaries.push(summary);
  }
  for (const line of json ? summaries.map((summary) => JSON.stringify(summary)) : table(columns, summaries)) out(line);
  const refused = summaries.filter(({ state }) => state === 'invalid').length;
  err(`configurations: ${summaries.length}, refused: ${refused}`);
  return 0;
}

type ConfigurationSummary = Awaited<ReturnType<typeof summarizeConfiguration>>;

const columns: Columns<ConfigurationSummary> = {
  ID: ({ configurationId }) => configurationId,
  OWNER: ({ ownerId }) => ownerId ?? undefined,
  HOST: ({ host }) => host ?? undefined,
  EVENTS: ({ events }) => events.map((event) => event.replace('certificate_', '')).join(),
  AUTH: ({ auth }) => auth ?? undefined,
  SEALED: ({ sealed }) =>
    Object.entries(sealed)
      .map(([part, kid]) => (kid === null ? part : `${part}:${kid}`))
      .join() || undefined,
  STATE: ({ state }) => state,
  PROBLEMS: ({ problems }) => problems.join('; '),
};

/**
 * Returns the parts of a configuration that may be printed: no credential, header or URL path. Null if unknown. `value` is the
 * value from the topic, with its sealed parts still sealed.
 */
async function summarizeConfiguration(id: string, value: FramedDocument, context: ConfigurationsContext) {
  const parsed = await parseStored(id, value, context);
  const { ownerId = null, state } = summarize(parsed);
  const ids = { configurationId: id, ownerId };
  const fields = fieldsOf(value);
  const sealed = sealedParts(fields);
  if (parsed.kind === 'refused') {
    const host = typeof fields.url === 'string' ? (URL.parse(fields.url)?.host ?? null) : null;
    return { ...ids, host, events: parsed.claim.events, auth: null, problems: parsed.problems, sealed, state };
  }
  const { endpoint, events } = parsed.configuration;
  const auth = endpoint.authentication.authType;
  return { ...ids, host: endpoint.url.host, events, auth, problems: [], sealed, state };
}

function fieldsOf(value: FramedDocument): SealableDocument {
  const json = value.kind === 'refused' ? undefined : parseStrictJson(value.bytes);
  return json?.kind === 'json' && isSealableDocument(json.value) ? json.value : {};
}

/** Returns the key id of each sealed part. Null if the header of the part names no key. */
function sealedParts(fields: SealableDocument): Readonly<Partial<Record<SealablePart, string | null>>> {
  const sealed: Partial<Record<SealablePart, string | null>> = {};
  for (const part of sealableParts) {
    const jwe = fields[part];
    if (typeof jwe !== 'string') continue;
    const read = readHeader(jwe);
    sealed[part] = read.kind === 'header' ? (read.header.kid ?? null) : null;
  }
  return sealed;
}
