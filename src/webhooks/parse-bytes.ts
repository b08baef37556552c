import { eventTypes } from '../certificates/certificate.ts';
import { parseStrictJson } from '../lib/strict-json.ts';
import type { ParseConfiguration, ParsedConfiguration } from './configuration-schema.ts';
import type { ClosedParts } from './sealing/sealable-parts.ts';

interface DocumentBytes {
  readonly id: string;
  readonly document: Uint8Array;
  readonly closed: ClosedParts;
}

/** Parses a configuration as its source has it. */
export function parseBytes({ id, document, closed }: DocumentBytes, parse: ParseConfiguration): ParsedConfiguration {
  const json = parseStrictJson(document);
  return json.kind === 'json'
    ? parse(id, json.value, closed)
    : unreadable('must be JSON, in UTF-8 without a byte order mark');
}

/** What can't even be read is refused for that reason, and claims nobody's records. */
export function unreadable(problem: string): ParsedConfiguration {
  return { kind: 'refused', problems: [problem], claim: { ownerId: undefined, enabled: true, events: eventTypes } };
}
