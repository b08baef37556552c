import type { Plain } from '../plain.ts';

/** What a value is, read by its schema. Messages quote nothing of the value. */
export type ReadResult =
  | { readonly kind: 'plain'; readonly value: Plain }
  /** It is JSON already, and goes out as it came. */
  | { readonly kind: 'json'; readonly document: unknown; readonly bytes: Buffer }
  | { readonly kind: 'undecodable'; readonly message: string };

/** Reads what one schema is the schema of. */
export type Format = (payload: Buffer) => ReadResult;

/** A schema as a registry has it. */
export interface SchemaDocument {
  /** `AVRO`, `JSON` and `PROTOBUF` are known. */
  readonly type: string;
  readonly text: string;
  /** What it refers to, by the names it uses; what those refer to in turn comes before them. */
  readonly references: readonly SchemaReference[];
}

export interface SchemaReference {
  readonly name: string;
  readonly text: string;
}
