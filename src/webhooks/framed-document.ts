import type { FramedValues } from '../certificates/framing.ts';
import { toJson, withoutUnset } from '../certificates/plain.ts';
import { describeException } from './sealing/document-limits.ts';

/** The JSON of a framed value, or why it has none. */
export type FramedDocument =
  | { readonly kind: 'json'; readonly bytes: Buffer }
  /** The problem quotes nothing of the value. */
  | { readonly kind: 'refused'; readonly problem: string };

/** Converts a framed value, whose schema is there, to JSON without fields that are unset. Never throws. */
export function framedDocument(value: Buffer, framed: Pick<FramedValues, 'read'>): FramedDocument {
  try {
    const reading = framed.read(value);
    switch (reading.kind) {
      case 'plain':
        return { kind: 'json', bytes: Buffer.from(toJson(withoutUnset(reading.value)), 'utf8') };
      case 'json':
        return { kind: 'json', bytes: reading.bytes };
      case 'undecodable':
      case 'too_large':
        return { kind: 'refused', problem: reading.message };
    }
  } catch (error) {
    return { kind: 'refused', problem: `can not be decoded: ${describeException(error)}` };
  }
}
