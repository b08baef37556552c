import { isFramed, type FramedValues } from '../../certificates/framing.ts';
import type { TopicSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { unlessAborted } from '../../lib/aborted.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import {
  createConfigurationParser,
  type ParsedConfiguration,
  type ConfigurationRules,
} from '../../webhooks/configuration-schema.ts';
import { framedDocument, parseBytes, unreadable, type FramedDocument } from '../../webhooks/parse-bytes.ts';
import { openBytes } from '../../webhooks/sealing/open-document.ts';
import { isSealableDocument } from '../../webhooks/sealing/sealable-parts.ts';
import type { Kafka } from '../../kafka/client/kafka.ts';
import { writeKeyed, type KeyedRecord } from '../../kafka/producer/keyed-writer.ts';
import { outgoingHeaders } from '../../kafka/records/headers.ts';
import type { KeySet } from '../../webhooks/sealing/key-set.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface ConfigurationsContext extends Omit<Terminal, 'bar'> {
  readonly rules: ConfigurationRules;
  /** Undefined without a keys file. */
  readonly keys: KeySet | undefined;
  readonly requireSealed: boolean;
}

export interface ConfigurationsTopic {
  readonly topic: string;
  readonly admin: Kafka;
  readonly writing: Kafka;
  readonly framed: FramedValues;
  /** The name of the writer. Undefined if nobody is named. */
  readonly changedBy?: string | undefined;
}

/** The header of a configuration that names who wrote it. The service does not read it. */
export const changedByHeader = 'changed-by';

/** Writes records, and calls `written` once for each id as soon as Kafka has it. */
export async function writeRecords(
  { topic, writing: kafka, changedBy }: ConfigurationsTopic,
  records: readonly KeyedRecord[],
  written: (id: string) => void,
): Promise<void> {
  const seen = new Set<string>();
  const headers = outgoingHeaders([[changedByHeader, changedBy]]);
  await writeKeyed({ kafka, topic, headers }, records, (ids) => {
    for (const id of ids) if (!seen.has(id)) written(id);
    for (const id of ids) seen.add(id);
  });
}

/** Time in ms that all lookups of schemas may take together. Values whose schema is missing then can not be read. */
const registryTimeoutMs = 30_000;

export function withRegistryTimeout(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(registryTimeoutMs)]);
}

export function valuesById({ newest }: TopicSnapshot): readonly (readonly [id: string, value: Buffer])[] {
  return [...newest]
    .map(([id, { value }]) => [id, value] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns the JSON of a value, decoded if it is framed. Refuses a framed value if the signal aborts first. */
export async function unframe(
  value: Buffer,
  framed: Pick<FramedValues, 'whenReadable' | 'read'>,
  signal: AbortSignal,
): Promise<FramedDocument> {
  if (!isFramed(value)) return { kind: 'json', bytes: value };
  try {
    for (let wait = framed.whenReadable(value); wait !== undefined; wait = framed.whenReadable(value)) {
      await unlessAborted(signal, wait);
    }
    return framedDocument(value, framed);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { kind: 'refused', problem: 'is framed with a schema that the schema registry has not given' };
  }
}

/** A configuration as it stands in the topic. It may be one that the service refuses. */
export type StoredConfiguration =
  | { readonly kind: 'object'; readonly text: string; readonly fields: StoredFields }
  /** The problem quotes nothing of the value. */
  | { readonly kind: 'unreadable'; readonly problem: string };

interface StoredFields {
  readonly _id?: unknown;
  readonly _ownerId?: unknown;
  readonly paused?: unknown;
}

/** Reads the JSON object of a value, decoded if it is framed. Opens no sealed part. */
export async function readStored(
  value: Buffer,
  framed: Pick<FramedValues, 'whenReadable' | 'read'>,
  signal: AbortSignal,
): Promise<StoredConfiguration> {
  const document = await unframe(value, framed, signal);
  if (document.kind === 'refused') return { kind: 'unreadable', problem: document.problem };
  const json = parseStrictJson(document.bytes);
  if (json.kind !== 'json') return { kind: 'unreadable', problem: json.problem };
  if (!isSealableDocument(json.value)) return { kind: 'unreadable', problem: 'is no JSON object' };
  return { kind: 'object', text: document.bytes.toString('utf8'), fields: json.value };
}

/** Parses a configuration as the service does, with its sealed parts opened. */
export async function parseStored(
  id: string,
  value: FramedDocument,
  { rules, keys, requireSealed }: Pick<ConfigurationsContext, 'rules' | 'keys' | 'requireSealed'>,
): Promise<ParsedConfiguration> {
  if (value.kind === 'refused') return unreadable(value.problem);
  const { bytes } = value;
  const opened = keys === undefined ? { document: bytes, closed: {} } : await openBytes(bytes, { keys, requireSealed });
  return parseBytes({ id, ...opened }, createConfigurationParser(rules));
}
