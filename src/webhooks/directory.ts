import { createHash } from 'node:crypto';
import { bytesToLatin1, StoredWebhook } from './stored-webhook.ts';
import { parseBytes, unreadable } from './parse-bytes.ts';
import {
  createConfigurationParser,
  type ConfigurationRules,
  type ParseConfiguration,
  type ParsedConfiguration,
} from './configuration-schema.ts';
import { maxDocumentBytes } from './sealing/document-limits.ts';
import type { ClosedParts } from './sealing/sealable-parts.ts';
import type { Directory, Webhook, WebhookState } from './webhook.ts';

export interface DirectoryEvents {
  /** Emitted once for each version that is refused and not disabled. Problems hold no credential and no value. */
  configurationRefused(refused: {
    readonly id: string;
    readonly ownerId: string | undefined;
    readonly problems: readonly string[];
  }): void;
}

/** A configuration from its source. The bytes are JSON, and receivers copy them. */
export interface ConfigurationDocument {
  readonly id: string;
  readonly document: Uint8Array;
  /** The parts that could not be opened, or should have been sealed. Empty when left out. */
  readonly closed?: ClosedParts;
}

/** A newest version that has no document, because its source could not read it. */
interface UnreadConfiguration {
  readonly id: string;
  readonly problem: string;
}

export type ConfigurationChange = ConfigurationDocument | UnreadConfiguration;

/**
 * All webhooks of the service, in memory. Owns the webhooks by id, the index by owner and the count of each state.
 *
 * | State of the newest version | Condition                               | Its deliveries                            |
 * | --------------------------- | --------------------------------------- | ----------------------------------------- |
 * | active                      | valid and enabled                       | planned and sent                          |
 * | paused                      | valid, enabled and `paused`             | planned, and wait                         |
 * | disabled                    | `enabled` is `false`, valid or not      | none planned; earlier ones are dropped    |
 * | invalid                     | refused and not disabled                | planned for the events claimed, and wait  |
 *
 * `VersionReader` writes what it reads from the configurations topic or the files. The pipeline reads `ofOwner` to plan and `byId` before each attempt. The metrics read `counts`.
 *
 * Promises:
 * - The newest version counts, valid or not. An invalid version replaces a valid one, so that a subscriber's mistake
 *   shows and its deliveries wait instead of going to an outdated URL.
 * - Each version is one object until the next version. Callers compare identities to see a change: a new version
 *   gets a new request head and a new circuit. A reload of the same bytes is no new version.
 * - Each method finishes in one turn of the event loop. Readers never see half of a `replaceAll`.
 * - Each refused version is reported once.
 * - No document makes a method throw. What our code fails on is refused, and the other configurations are applied.
 * - A version whose owner can't be read is planned for the last owner known under its id, until a version can be read.
 *   Records of that owner would otherwise be settled as unclaimed.
 */
export class WebhookDirectory implements Omit<Directory, 'caughtUp' | 'isComplete'> {
  readonly #parse: ParseConfiguration;
  readonly #events: DirectoryEvents;
  readonly #webhooks = new Map<string, StoredWebhook>();
  readonly #owners = new OwnerIndex<StoredWebhook>();
  readonly #counts: Record<WebhookState, number> = { active: 0, paused: 0, disabled: 0, invalid: 0 };

  constructor(rules: ConfigurationRules, events: DirectoryEvents) {
    this.#parse = createConfigurationParser(rules);
    this.#events = events;
  }

  ofOwner(ownerId: string): readonly Webhook[] {
    return this.#owners.of(ownerId);
  }

  byId(id: string): StoredWebhook | undefined {
    return this.#webhooks.get(id);
  }

  counts(): Readonly<Record<WebhookState, number>> {
    return { ...this.#counts };
  }

  /** Returns the ids of all configurations, also of refused ones. */
  ids(): Iterable<string> {
    return this.#webhooks.keys();
  }

  /** Sets the newest version. Bytes equal to those of the version before are no new version. */
  upsert(id: string, document: Uint8Array, closed: ClosedParts = {}): void {
    const version = versionOf(document, closed);
    if (this.#webhooks.get(id)?.hasVersion(version) === true) return;
    this.#put(id, version, parseBytes({ id, document, closed }, this.#parse));
  }

  /** Sets a newest version that could not be read as JSON, which is refused for that reason. */
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

  /** Removes all configurations that are not among these. No reader sees a state in between. */
  replaceAll(configurations: Iterable<ConfigurationChange>): void {
    const gone = new Set(this.#webhooks.keys());
    for (const change of configurations) {
      if ('problem' in change) this.refuse(change.id, change.problem);
      else this.upsert(change.id, change.document, change.closed);
      gone.delete(change.id);
    }
    for (const id of gone) this.remove(id);
  }

  #put(id: string, document: string, parsed: ParsedConfiguration): void {
    const lastOwnerId = this.#webhooks.get(id)?.plannedOwnerId;
    this.remove(id);
    const webhook = new StoredWebhook(id, { document, parsed, parse: this.#parse, lastOwnerId });
    this.#webhooks.set(id, webhook);
    this.#owners.add(webhook);
    this.#counts[webhook.state] += 1;
    if (parsed.kind === 'refused' && webhook.state === 'invalid') {
      this.#events.configurationRefused({ id, ownerId: webhook.plannedOwnerId, problems: parsed.problems });
    }
  }
}

/**
 * Returns a text that differs between versions. Versions whose bytes are equal and whose closed parts are not have different
 * problems. Of a document beyond the size limit only a hash is kept.
 */
function versionOf(document: Uint8Array, closed: ClosedParts): string {
  const isKept = document.length <= maxDocumentBytes;
  const bytes = isKept ? bytesToLatin1(document) : createHash('sha256').update(document).digest('base64');
  return Object.keys(closed).length === 0 ? bytes : bytes + JSON.stringify(closed);
}

/** The webhooks of an owner who has several. */
class Several<W> {
  readonly webhooks: Set<W>;
  /** The same webhooks; undefined after a change. All certificates that wait for their turn share one list. */
  list: readonly W[] | undefined;

  constructor(webhooks: Iterable<W>) {
    this.webhooks = new Set(webhooks);
  }

  change(by: (webhooks: Set<W>) => void): void {
    by(this.webhooks);
    this.list = undefined;
  }
}

/** The webhooks by owner. Each change takes the same time, however many webhooks the owner has. */
export class OwnerIndex<W extends { readonly plannedOwnerId: string | undefined }> {
  /** Most owners have one webhook, and a million sets of one would waste memory. */
  readonly #owned = new Map<string, W | Several<W>>();

  /** Returns the webhooks in the order in which they were added. Later changes do not change the list. */
  of(ownerId: string): readonly W[] {
    const owned = this.#owned.get(ownerId);
    if (owned === undefined) return [];
    if (!(owned instanceof Several)) return [owned];
    owned.list ??= [...owned.webhooks];
    return owned.list;
  }

  /** Adds a webhook. One without an owner id is ignored. */
  add(webhook: W): void {
    const { plannedOwnerId: ownerId } = webhook;
    if (ownerId === undefined) return;
    const owned = this.#owned.get(ownerId);
    if (owned === undefined) this.#owned.set(ownerId, webhook);
    else if (owned instanceof Several) owned.change((webhooks) => webhooks.add(webhook));
    else this.#owned.set(ownerId, new Several([owned, webhook]));
  }

  remove(webhook: W): void {
    const { plannedOwnerId: ownerId } = webhook;
    if (ownerId === undefined) return;
    const owned = this.#owned.get(ownerId);
    if (owned instanceof Several) {
      owned.change((webhooks) => webhooks.delete(webhook));
      if (owned.webhooks.size === 0) this.#owned.delete(ownerId);
    } else if (owned === webhook) {
      this.#owned.delete(ownerId);
    }
  }
}
