import type { EventType } from '../../certificates/certificate.ts';
import type { ParsedConfiguration } from '../../webhooks/configuration-schema.ts';
import { readHeader } from '../../webhooks/sealing/jwe-header.ts';
import {
  isSealableDocument,
  sealableParts,
  type SealableDocument,
  type SealablePart,
} from '../../webhooks/sealing/sealable-parts.ts';
import { summarize } from '../../webhooks/stored-webhook.ts';
import type { WebhookState } from '../../webhooks/webhook.ts';

/** The parts of a configuration that may be printed: no credential, header or URL path. Null if unknown. */
export interface ConfigurationSummary {
  readonly id: string;
  readonly ownerId: string | null;
  readonly host: string | null;
  readonly events: readonly EventType[];
  readonly auth: string | null;
  /** The key id of each sealed part. Null if the header of the part names no key. */
  readonly sealed: Readonly<Partial<Record<SealablePart, string | null>>>;
  readonly state: WebhookState;
  readonly problems: readonly string[];
}

/** Summarizes a configuration. `document` is the value from the topic, with its sealed parts still sealed. */
export function summarizeConfiguration(
  id: string,
  document: unknown,
  parsed: ParsedConfiguration,
): ConfigurationSummary {
  const { ownerId = null, state } = summarize(parsed);
  const fields = isSealableDocument(document) ? document : {};
  return { id, ownerId, ...printableFields(parsed, fields), sealed: sealedParts(fields), state };
}

type PrintableFields = Pick<ConfigurationSummary, 'host' | 'events' | 'auth' | 'problems'>;

function printableFields(parsed: ParsedConfiguration, { url }: SealableDocument): PrintableFields {
  if (parsed.kind === 'refused') {
    const host = typeof url === 'string' ? (URL.parse(url)?.host ?? null) : null;
    return { host, events: parsed.claim.events, auth: null, problems: parsed.problems };
  }
  const { endpoint, events } = parsed.configuration;
  return { host: endpoint.url.host, events, auth: endpoint.authentication.authType, problems: [] };
}

function sealedParts(fields: SealableDocument): ConfigurationSummary['sealed'] {
  const sealed: Partial<Record<SealablePart, string | null>> = {};
  for (const part of sealableParts) {
    const value = fields[part];
    if (typeof value === 'string') sealed[part] = kidOf(value);
  }
  return sealed;
}

function kidOf(jwe: string): string | null {
  const read = readHeader(jwe);
  return read.kind === 'header' ? (read.header.kid ?? null) : null;
}
