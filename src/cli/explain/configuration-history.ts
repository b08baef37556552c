import { eventTypes, type EventType } from '../../certificates/certificate.ts';
import type { FramedValues } from '../../certificates/framing.ts';
import type { SourceRecord } from '../../certificates/record.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import { createConfigurationParser, type ConfigurationRules } from '../../webhooks/configuration-schema.ts';
import { unreadable } from '../../webhooks/parse-bytes.ts';
import { isSealableDocument, withoutSealed } from '../../webhooks/sealing/sealable-parts.ts';
import { summarize } from '../../webhooks/stored-webhook.ts';
import type { Webhook, WebhookState } from '../../webhooks/webhook.ts';
import { unframe } from '../configurations/stored.ts';
import { ByteSearch } from './byte-search.ts';

/** A version of a configuration as it stands in its topic. Without a position, it is the one that the files hold now. */
export interface ConfigurationVersion {
  readonly position?: Pick<SourceRecord, 'topic' | 'partition' | 'offset'>;
  /** Epoch milliseconds. */
  readonly timestamp?: number | undefined;
  readonly ownerId: string | undefined;
  readonly state: WebhookState | 'removed';
  readonly events: readonly EventType[];
}

/** Versions of one key. Compaction leaves few. Of more, the newest are kept. */
const maxVersions = 100;

interface HistoryOptions {
  readonly owners: ReadonlySet<string>;
  readonly rules: ConfigurationRules;
  readonly framed: Pick<FramedValues, 'whenReadable' | 'read'>;
  readonly signal: AbortSignal;
}

/**
 * The versions of all configurations that belong or belonged to some owners, as far as compaction has left them. Takes the
 * records of each partition in their order. Opens no sealed part: owner, state and events stand beside them.
 */
export class ConfigurationHistory {
  readonly #options: HistoryOptions;
  readonly #searches: readonly ByteSearch[];
  readonly #parse: ReturnType<typeof createConfigurationParser>;
  readonly #versions = new Map<string, readonly ConfigurationVersion[]>();

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#searches = Array.from(options.owners, (owner) => new ByteSearch(owner));
    this.#parse = createConfigurationParser(options.rules);
  }

  take(record: SourceRecord): Promise<void> | undefined {
    const { key, value } = record;
    if (key === null) return undefined;
    const id = key.toString('utf8');
    if (value === null) {
      if (this.#versions.has(id)) this.#add(id, record, { ownerId: undefined, state: 'removed', events: [] });
      return undefined;
    }
    if (!this.#versions.has(id) && !this.#searches.some((search) => search.mayBeIn(value))) return undefined;
    return this.#read(id, record, value);
  }

  /** Adds the webhooks that files hold. They have no history. */
  addCurrent(webhooks: readonly Webhook[]): void {
    for (const webhook of webhooks) {
      const { id, ownerId, state } = webhook;
      const events = eventTypes.filter((event) => webhook.wants(event));
      this.#versions.set(id, [{ ownerId, state, events }]);
    }
  }

  /** Returns the versions, the oldest first, of each configuration that is or was this owner's. */
  ofOwner(ownerId: string): ReadonlyMap<string, readonly ConfigurationVersion[]> {
    return new Map([...this.#versions].filter(([, versions]) => versions.some((one) => one.ownerId === ownerId)));
  }

  async #read(id: string, record: SourceRecord, value: Buffer): Promise<void> {
    const { framed, signal, owners } = this.#options;
    const document = await unframe(value, framed, signal);
    const json = document.kind === 'refused' ? undefined : parseStrictJson(document.bytes);
    const parsed =
      json?.kind === 'json'
        ? this.#parse(id, isSealableDocument(json.value) ? withoutSealed(json.value) : json.value)
        : unreadable('can not be read');
    const { ownerId, state, events } = summarize(parsed);
    if (this.#versions.has(id) || owners.has(ownerId ?? '')) this.#add(id, record, { ownerId, state, events });
  }

  #add(id: string, { topic, partition, offset, timestamp }: SourceRecord, version: ConfigurationVersion): void {
    const earlier = this.#versions.get(id) ?? [];
    const all = [...earlier, { ...version, position: { topic, partition, offset }, timestamp }];
    this.#versions.set(id, all.slice(-maxVersions));
  }
}
