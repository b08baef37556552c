import { bytesToLatin1 } from '../lib/latin1.ts';
import { OwnerIndex } from './owner-index.ts';
import { parseBytes, unreadable } from './parse-bytes.ts';
import {
  createConfigurationParser,
  type ParseConfiguration,
  type ParsedConfiguration,
} from './configuration-schema.ts';
import type { ClosedParts } from './sealing/sealable-parts.ts';
import { StoredWebhook } from './stored-webhook.ts';
import type { PortPolicy } from './url-rules.ts';
import type { Directory, Webhook, WebhookState } from './webhook.ts';

/** What the directory tells. */
interface DirectoryEvents {
  /** The newest version of this one is not legal; told once per version. Problems hold no credential and no value. */
  configurationRefused(refused: {
    readonly id: string;
    readonly ownerId: string | undefined;
    readonly problems: readonly string[];
  }): void;
}

/** A configuration as its source has it: JSON, in bytes that are copied. */
export interface ConfigurationDocument {
  readonly id: string;
  readonly document: Uint8Array;
  /** What of it could not be opened, or should have been sealed; nothing when left out. */
  readonly closed?: ClosedParts;
}

/** What a source of configurations does to the directory. A version with the bytes of the one before is no new version. */
export interface ConfigurationSink {
  upsert(id: string, document: Uint8Array, closed?: ClosedParts): void;
  /** The newest version can't even be read as JSON, for that reason: it is refused, and claims nobody's records. */
  refuse(id: string, problem: string): void;
  remove(id: string): void;
  /** What is not among these is removed. No reader sees a state in between. */
  replaceAll(configurations: Iterable<ConfigurationDocument>): void;
}

/** All webhooks of the service. The newest version of each counts, valid or not. */
export class WebhookDirectory implements ConfigurationSink, Omit<Directory, 'caughtUp'> {
  readonly #parse: ParseConfiguration;
  readonly #events: DirectoryEvents;
  readonly #webhooks = new Map<string, StoredWebhook>();
  readonly #owners = new OwnerIndex<StoredWebhook>();
  readonly #counts: Record<WebhookState, number> = { active: 0, paused: 0, disabled: 0, invalid: 0 };

  constructor(policy: { readonly isAllowedPort: PortPolicy }, events: DirectoryEvents) {
    this.#parse = createConfigurationParser(policy);
    this.#events = events;
  }

  ofOwner(ownerId: string): readonly Webhook[] {
    return this.#owners.of(ownerId);
  }

  byId(id: string): Webhook | undefined {
    return this.#webhooks.get(id);
  }

  counts(): Readonly<Record<WebhookState, number>> {
    return { ...this.#counts };
  }

  upsert(id: string, document: Uint8Array, closed: ClosedParts = {}): void {
    const text = bytesToLatin1(document);
    const version = text + suffix(closed);
    if (this.#webhooks.get(id)?.hasVersion(version) === true) return;
    this.#put(id, version, parseBytes({ id, document, closed }, this.#parse));
  }

  refuse(id: string, problem: string): void {
    this.#put(id, '', unreadable(problem));
  }

  remove(id: string): void {
    const webhook = this.#webhooks.get(id);
    if (webhook === undefined) return;
    this.#webhooks.delete(id);
    this.#owners.remove(webhook);
    this.#counts[webhook.state] -= 1;
  }

  replaceAll(configurations: Iterable<ConfigurationDocument>): void {
    const gone = new Set(this.#webhooks.keys());
    for (const { id, document, closed } of configurations) {
      this.upsert(id, document, closed);
      gone.delete(id);
    }
    for (const id of gone) this.remove(id);
  }

  #put(id: string, document: string, parsed: ParsedConfiguration): void {
    this.remove(id);
    const webhook = new StoredWebhook(id, { document, parsed, parse: this.#parse });
    this.#webhooks.set(id, webhook);
    this.#owners.add(webhook);
    this.#counts[webhook.state] += 1;
    if (parsed.kind === 'refused' && webhook.state === 'invalid') {
      this.#events.configurationRefused({ id, ownerId: webhook.ownerId, problems: parsed.problems });
    }
  }
}

/** Bytes that are closed in another way, or not at all, are another version: what is wrong with them has changed. */
function suffix(closed: ClosedParts): string {
  return Object.keys(closed).length === 0 ? '' : JSON.stringify(closed);
}
