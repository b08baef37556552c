import { eventTypes } from '../certificates/certificate.ts';
import { parseStrictJson } from '../lib/strict-json.ts';
import type { ParseConfiguration, ParsedConfiguration } from './configuration-schema.ts';
import type { ClosedParts } from './sealing/sealable-parts.ts';

interface DocumentBytes {
  readonly id: string;
  readonly document: Uint8Array;
  readonly closed: ClosedParts;
}

/** Parses a configuration from the bytes of its source. */
export function parseBytes({ id, document, closed }: DocumentBytes, parse: ParseConfiguration): ParsedConfiguration {
  const json = parseStrictJson(document);
  return json.kind === 'json'
    ? parse(id, json.value, closed)
    : unreadable('must be JSON, in UTF-8 without a byte order mark');
}

/** Refuses a document that is not even JSON. Its claim names no owner, so no record is planned for it. */
export function unreadable(problem: string): ParsedConfiguration {
  return { kind: 'refused', problems: [problem], claim: { ownerId: undefined, enabled: true, events: eventTypes } };
}
