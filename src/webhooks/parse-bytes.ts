import { eventTypes } from '../certificates/certificate.ts';
import { parseStrictJson } from '../lib/strict-json.ts';
import type { FramedValues } from '../certificates/framing.ts';
import { toJson, withoutUnset } from '../certificates/plain.ts';
import { refuse, type ParseConfiguration, type ParsedConfiguration } from './configuration-schema.ts';
import { describeException, maxDocumentBytes, tooLarge } from './sealing/document-limits.ts';
import type { ClosedParts } from './sealing/sealable-parts.ts';

interface DocumentBytes {
  readonly id: string;
  readonly document: Uint8Array;
  readonly closed: ClosedParts;
}

/**
 * Parses a configuration from the bytes of its source. Never throws: an exception of our own code refuses the document,
 * because it would otherwise stop the configurations that come after it.
 */
export function parseBytes({ id, document, closed }: DocumentBytes, parse: ParseConfiguration): ParsedConfiguration {
  if (document.length > maxDocumentBytes) return refuse(id, [tooLarge], fieldsAtStart(document));
  const json = parseStrictJson(document);
  if (json.kind !== 'json') return unreadable('must be JSON, in UTF-8 without a byte order mark');
  try {
    return parse(id, json.value, closed);
  } catch (error) {
    return refuse(id, [`can not be checked: ${describeException(error)}`], json.value);
  }
}

/** Refuses a document that is not even JSON. Its claim names no owner. */
export function unreadable(problem: string): ParsedConfiguration {
  return { kind: 'refused', problems: [problem], claim: { ownerId: undefined, enabled: true, events: eventTypes } };
}

/** Reads the fields of a large object that end within the size limit, so that refusing it costs no more than a legal one. */
function fieldsAtStart(document: Uint8Array): unknown {
  const text = Buffer.from(document.subarray(0, maxDocumentBytes)).toString('utf8');
  const json = parseStrictJson(Buffer.from(`${text.slice(0, lastFieldEnd(text))}}`, 'utf8'));
  return json.kind === 'json' ? json.value : undefined;
}

/** Strings as wholes, so that what looks like a bracket or a comma in one does not count. The last one may be cut off. */
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|[{}[\],]/gs;

/** Returns the position of the last comma between two fields of the object itself. */
function lastFieldEnd(text: string): number {
  let depth = 0;
  let end = 0;
  for (const { 0: token, index } of text.matchAll(jsonTokens)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === ',' && depth === 1) end = index;
  }
  return end;
}

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
