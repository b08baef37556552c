import type { EventType } from '../../certificates/certificate.ts';
import type { ParsedConfiguration } from '../../webhooks/configuration-schema.ts';
import { readHeader } from '../../webhooks/sealing/jwe-header.ts';
import { isPartlySealed, sealableParts, type PartlySealed, type SealablePart } from '../../webhooks/sealing/sealable-parts.ts';
import { summarize } from '../../webhooks/stored-webhook.ts';
import type { WebhookState } from '../../webhooks/webhook.ts';

/** What may be told of a configuration: no credential, no header, no path. Null: it can't be told. */
export interface ConfigurationSummary {
  readonly id: string;
  readonly ownerId: string | null;
  readonly host: string | null;
  readonly events: readonly EventType[];
  /** The method. */
  readonly auth: string | null;
  /** What is sealed, and the id of the key; null where the header names none. */
  readonly sealed: Readonly<Partial<Record<SealablePart, string | null>>>;
  readonly state: WebhookState;
  readonly problems: readonly string[];
}

/** `document` is as it stands in the topic, before anything was opened. */
export function summarizeConfiguration(
  id: string,
  document: unknown,
  parsed: ParsedConfiguration,
): ConfigurationSummary {
  const { ownerId = null, state } = summarize(parsed);
  const fields = isPartlySealed(document) ? document : {};
  return { id, ownerId, ...tellable(parsed, fields), sealed: sealedParts(fields), state };
}

type Tellable = Pick<ConfigurationSummary, 'host' | 'events' | 'auth' | 'problems'>;

function tellable(parsed: ParsedConfiguration, { url }: PartlySealed): Tellable {
  if (parsed.kind === 'refused') {
    const host = typeof url === 'string' ? (URL.parse(url)?.host ?? null) : null;
    return { host, events: parsed.claim.events, auth: null, problems: parsed.problems };
  }
  const { endpoint, events } = parsed.configuration;
  return { host: endpoint.url.host, events, auth: endpoint.authentication.authType, problems: [] };
}

function sealedParts(fields: PartlySealed): ConfigurationSummary['sealed'] {
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
