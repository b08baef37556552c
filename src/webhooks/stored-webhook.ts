import assert from 'node:assert/strict';
import { parseStrictJson } from '../lib/strict-json.ts';
import { eventTypes, type EventType } from '../certificates/certificate.ts';
import type { ParseConfiguration, ParsedConfiguration } from './configuration-schema.ts';
import type { Endpoint, Webhook, WebhookLimits, WebhookState } from './webhook.ts';

/**
 * One version of a configuration, small enough to be kept a million times. Holds its document and the few fields that
 * planning needs. `endpoint()` parses the document again at each call.
 */
export class StoredWebhook implements Webhook {
  readonly id: string;
  readonly ownerId: string | undefined;
  /** The owner whose records are planned for it: its own, or the last one known under its id. */
  readonly plannedOwnerId: string | undefined;
  readonly state: WebhookState;
  readonly limits: WebhookLimits | undefined;
  /** One bit per event type. */
  readonly #wanted: number;
  /** The bytes of the document, one character each. A string is smaller than a buffer, and pins no larger one. A refused version may have its hash here. */
  readonly #document: string;
  readonly #parse: ParseConfiguration;

  constructor(id: string, stored: StoredDocument) {
    const { ownerId, state, limits, events } = summarize(stored.parsed);
    this.id = id;
    this.ownerId = ownerId;
    this.plannedOwnerId = ownerId ?? stored.lastOwnerId;
    this.state = state;
    this.limits = limits;
    this.#wanted = events.reduce((sum, event) => sum | bit(event), 0);
    this.#document = stored.document;
    this.#parse = stored.parse;
  }

  wants(eventType: EventType): boolean {
    return (this.#wanted & bit(eventType)) !== 0;
  }

  endpoint(): Endpoint {
    const json = parseStrictJson(latin1ToBytes(this.#document));
    assert(json.kind === 'json', 'a document that is no JSON has no endpoint');
    const parsed = this.#parse(this.id, json.value);
    assert(parsed.kind === 'accepted', 'a refused configuration has no endpoint');
    return parsed.configuration.endpoint;
  }

  hasVersion(document: string): boolean {
    return this.#document === document;
  }
}

interface StoredDocument {
  /** The owner of the version before, if it is known. */
  readonly lastOwnerId: string | undefined;
  readonly document: string;
  readonly parsed: ParsedConfiguration;
  readonly parse: ParseConfiguration;
}

interface Summary {
  readonly ownerId: string | undefined;
  readonly state: WebhookState;
  readonly limits?: WebhookLimits | undefined;
  readonly events: readonly EventType[];
}

/** Summarizes a configuration for planning. A disabled one wants no events, and its problems do not count. */
export function summarize(parsed: ParsedConfiguration): Summary {
  const { ownerId, enabled, events } = parsed.kind === 'accepted' ? parsed.configuration : parsed.claim;
  if (!enabled) return { ownerId, state: 'disabled', events: [] };
  if (parsed.kind === 'refused') return { ownerId, state: 'invalid', events };
  const { paused, limits } = parsed.configuration;
  return { ownerId, state: paused ? 'paused' : 'active', limits, events };
}

function bit(event: EventType): number {
  return 1 << eventTypes.indexOf(event);
}

/**
 * Returns the bytes as a string that takes one byte a character in memory.
 * A `Buffer` of a few hundred bytes keeps a whole 8 KiB slab of Node's pool alive; a string does not.
 */
export function bytesToLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function latin1ToBytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
