import type { Plain } from './plain.ts';
import { parseStrictJson } from '../lib/strict-json.ts';

/** Confluent's wire format: a zero byte, four bytes of schema id, and the payload. */
type Frame =
  | { readonly kind: 'framed'; readonly schemaId: number; readonly payload: Buffer }
  /** A predicate that follows a subject such as "the value". */
  | { readonly kind: 'broken'; readonly problem: string };

/**
 * The result of one request for a schema. `unknown` means that the registry has no such schema, or none yet, `failing` that
 * it works and fails for this one, and `away` that it gives no answer at all.
 */
export type SchemaAnswer = 'found' | 'unknown' | 'failing' | 'away';

/** Reads framed values. Their schemas come from a registry, so a value may have to wait for its schema. */
export interface FramedValues {
  /** Returns undefined when the value can be read now. Otherwise resolves when the caller should ask again. */
  whenReadable(value: Buffer): Promise<void> | undefined;
  /** Reads a value. Call it only for values that are readable. */
  read(value: Buffer): FramedResult;
  /** Returns true if the schema of that id is there, or if there is no registry to ask for it. */
  hasSchema(schemaId: number): boolean;
  /** Asks the registry once for a schema. Never rejects. `retryInMs` is when the caller asks again, for the log. */
  ask(schemaId: number, retryInMs: number): Promise<SchemaAnswer>;
}

/** The zero byte and the schema id. */
const headBytes = 5;

/** Returns true for Confluent framing. No JSON text begins with a zero byte. */
export function isFramed(value: Buffer): boolean {
  return value[0] === 0;
}

export function readFrame(value: Buffer): Frame {
  if (value.length < headBytes) return { kind: 'broken', problem: 'is too short to hold a schema id' };
  const schemaId = value.readInt32BE(1);
  // Registries assign positive ids only.
  if (schemaId < 0) return { kind: 'broken', problem: 'has a schema id that no registry gives' };
  return { kind: 'framed', schemaId, payload: value.subarray(headBytes) };
}

export const withoutRegistry: FramedValues = {
  whenReadable: () => undefined,
  hasSchema: () => true,
  ask: () => Promise.resolve('unknown'),
  read: () => ({
    kind: 'undecodable',
    message: 'the value is framed for a schema registry, and none is set (SCHEMA_REGISTRY_URL)',
  }),
};

/** The result of reading a value with its schema. Messages quote nothing of the value. */
export type FramedResult =
  | { readonly kind: 'plain'; readonly value: Plain }
  /** The value is JSON already, so its bytes are sent unchanged. */
  | { readonly kind: 'json'; readonly document: unknown; readonly bytes: Buffer }
  | { readonly kind: 'undecodable' | 'too_large'; readonly message: string };

export type Format = (payload: Buffer) => FramedResult;

export interface SchemaDocument {
  /** `AVRO`, `JSON` and `PROTOBUF` are supported. */
  readonly type: string;
  readonly text: string;
  /** Direct and indirect references. Each comes after its own references. */
  readonly references: readonly SchemaReference[];
  /** Why the references are not complete, and the schema can't be used. */
  readonly excess?: string;
}

export interface SchemaReference {
  readonly name: string;
  readonly text: string;
}

/** A value that is JSON: the document to validate and the bytes that subscribers receive. Messages quote no value. */
export type ReadJson = Exclude<FramedResult, { readonly kind: 'plain' }>;

/** Parses JSON strictly. The bytes are the buffer that was passed in. */
export function parseJson(value: Buffer): ReadJson {
  const parsed = parseStrictJson(value);
  if (parsed.kind === 'json') return { kind: 'json', document: parsed.value, bytes: value };
  const kind = parsed.kind === 'too_large' ? 'too_large' : 'undecodable';
  return { kind, message: `the value ${parsed.problem}` };
}
