import type { ReadResult } from './formats/format.ts';

/** Confluent's wire format: a zero byte, four bytes of schema id, and what the schema is the schema of. */
type Frame =
  | { readonly kind: 'framed'; readonly schemaId: number; readonly payload: Buffer }
  /** What is wrong, to follow a subject such as "the value". */
  | { readonly kind: 'broken'; readonly problem: string };

/** Reads framed values. Their schemas come from elsewhere, and may have to be waited for. */
export interface FramedValues {
  /** Undefined when the value can be read now; else a promise that resolves, in its own time, when to ask again. */
  whenReadable(value: Buffer): Promise<void> | undefined;
  /** Only of what is readable. */
  read(value: Buffer): ReadResult;
}

const headBytes = 5;

/** No JSON text begins with zero. */
export function isFramed(value: Buffer): boolean {
  return value[0] === 0;
}

export function readFrame(value: Buffer): Frame {
  if (value.length < headBytes) return { kind: 'broken', problem: 'is too short to hold a schema id' };
  const schemaId = value.readInt32BE(1);
  // Registries count from one and up.
  if (schemaId < 0) return { kind: 'broken', problem: 'has a schema id that no registry gives' };
  return { kind: 'framed', schemaId, payload: value.subarray(headBytes) };
}

/** For who has no schema registry. */
export const withoutRegistry: FramedValues = {
  whenReadable: () => undefined,
  read: () => ({
    kind: 'undecodable',
    message: 'the value is framed for a schema registry, and none is set (SCHEMA_REGISTRY_URL)',
  }),
};
