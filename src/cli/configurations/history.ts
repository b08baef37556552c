import { isDeepStrictEqual } from 'node:util';
import { costOf, headerText, type SourceRecord } from '../../certificates/record.ts';
import { acceptanceKey } from '../../kafka/reader/newest-versions.ts';
import { openScan } from '../../kafka/reader/topic-scan.ts';
import { timeText } from '../../kafka/records/headers.ts';
import { systemClock } from '../../lib/clock.ts';
import { LruMap } from '../../lib/lru-map.ts';
import { parseExact } from '../../lib/strict-json.ts';
import type { CommandOf } from '../command.ts';
import { readWhole } from '../read-topics.ts';
import { ColumnTable, type Columns } from '../terminal/columns.ts';
import {
  changedByHeader,
  readStored,
  withRegistryTimeout,
  type ConfigurationsContext,
  type ConfigurationsTopic,
  type StoredConfiguration,
} from './stored.ts';

/** Prints all versions that the topic still has, in the order of each partition, without any value. */
export async function listHistory(
  { ids, owner, json }: CommandOf<'list'>,
  { topic, admin, framed }: ConfigurationsTopic,
  { out, drained, err, signal }: ConfigurationsContext,
): Promise<0> {
  await using scan = await openScan({ kafka: admin, topic, clock: systemClock, signal });
  const timeout = withRegistryTimeout(signal);
  const versions = async function* (): AsyncGenerator<Version> {
    const history = new History(ids, (value) => readStored(value, framed, timeout));
    const screen = { clock: systemClock, err, bar: undefined };
    for await (const records of readWhole(`reading ${topic}`, scan, screen)) {
      for (const record of records) {
        const version = await history.take(record);
        if (version !== undefined && (owner === undefined || version.owners.includes(owner))) yield version;
      }
    }
  };
  const table = new ColumnTable(columns);
  if (!json) for await (const version of versions()) table.measure(version);
  let printed = 0;
  for await (const version of versions()) {
    if (printed === 0 && !json) out(table.line());
    out(json ? JSON.stringify({ ...version, owners: undefined }) : table.line(version));
    printed += 1;
    // Otherwise all lines would wait in memory for a slow reader.
    await drained();
  }
  err(`versions: ${printed}`);
  return 0;
}

/**
 * `new` is the first version, or the first after a removal. `written` is a version of which nothing is known to compare with:
 * compaction has dropped the one before, or that can't be read, or it is not remembered any more.
 */
type Change =
  'new' | 'written' | 'changed' | 'unchanged' | 'paused' | 'resumed' | 'removed' | 'accepted' | 'unreadable';

/** One record of the topic. Null if unknown. */
interface Version {
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: string | null;
  readonly configurationId: string;
  readonly ownerId: string | null;
  readonly change: Change;
  /** The names of the fields that differ from the version before. */
  readonly fields: readonly string[];
  readonly [changedByHeader]: string | null;
  /** The owners of this version and of the one before. */
  readonly owners: readonly (string | null | undefined)[];
}

const columns: Columns<Version> = {
  'WRITTEN AT': ({ timestamp }) => timestamp ?? undefined,
  ID: ({ configurationId }) => configurationId,
  OWNER: ({ ownerId }) => ownerId ?? undefined,
  'CHANGED BY': (version) => version[changedByHeader] ?? 'unknown',
  PLACE: ({ partition, offset }) => `${partition}/${offset}`,
  WHAT: ({ change, fields }) => (change === 'changed' ? `changed: ${fields.join()}` : change),
};

type Content = StoredConfiguration | { readonly kind: 'removed' };

/** The last version of a key, to compare the next one with. */
interface LastVersion {
  readonly content: Content;
  readonly ownerId: string | null;
}

/** Bytes of the versions that are remembered: about 45,000 configurations. The topic may hold a million. */
const maxBytes = 64 * 1024 * 1024;

/** Compares each record of a configurations topic with the one before it under the same key, in the same partition. */
export class History {
  readonly #ids: readonly string[];
  readonly #read: (value: Buffer) => Promise<StoredConfiguration>;
  readonly #maxBytes: number;
  readonly #last: LruMap<LastVersion>;
  /** The next offset of each partition, if it holds all records from its first one on. */
  readonly #next = new Map<number, number>();
  #bytes = 0;

  constructor(ids: readonly string[], read: (value: Buffer) => Promise<StoredConfiguration>, most = maxBytes) {
    this.#ids = ids;
    this.#read = read;
    this.#maxBytes = most;
    this.#last = new LruMap(most, sizeOf);
  }

  /** Takes the next record of a partition. Returns undefined for one that is not asked for. */
  async take({ key, value, partition, offset, timestamp, headers }: SourceRecord): Promise<Version | undefined> {
    const isWhole = this.#isWhole(partition, offset);
    const id = key?.toString('utf8');
    if (id === undefined || !this.#isWanted(id)) return undefined;
    const content: Content = value === null ? { kind: 'removed' } : await this.#read(value);
    const before = this.#last.get(`${partition}/${id}`);
    const ownerId = ownerOf(content, before);
    const version = { content, ownerId };
    this.#last.set(`${partition}/${id}`, version);
    this.#bytes += sizeOf(version);
    return {
      partition,
      offset,
      timestamp: timeText(timestamp) ?? null,
      configurationId: id,
      ownerId,
      ...(value === null ? removalOf(id, before) : changeOf(content, before?.content, isWhole)),
      [changedByHeader]: headerText(headers, changedByHeader) ?? null,
      owners: [ownerId, before?.ownerId],
    };
  }

  #isWanted(id: string): boolean {
    return this.#ids.length === 0 || this.#ids.includes(id);
  }

  /** Returns true if all records before this one are there, and remembered. Then a key without any is new. */
  #isWhole(partition: number, offset: number): boolean {
    if ((this.#next.get(partition) ?? 0) !== offset || this.#bytes > this.#maxBytes) return false;
    this.#next.set(partition, offset + 1);
    return true;
  }
}

function sizeOf({ content }: LastVersion): number {
  return costOf(content.kind === 'object' ? content.text.length : 0, 0);
}

function ownerOf(content: Content, before: LastVersion | undefined): string | null {
  if (content.kind === 'removed') return before?.ownerId ?? null;
  const ownerId = content.kind === 'object' ? content.fields._ownerId : undefined;
  return typeof ownerId === 'string' ? ownerId : null;
}

/** A tombstone of the key of acceptances removes nothing, unless a configuration is called so. */
function removalOf(id: string, before: LastVersion | undefined): Pick<Version, 'change' | 'fields'> {
  const isRemoval = id !== acceptanceKey || (before !== undefined && before.content.kind !== 'removed');
  return { change: isRemoval ? 'removed' : 'accepted', fields: [] };
}

function changeOf(now: Content, before: Content | undefined, isWhole: boolean): Pick<Version, 'change' | 'fields'> {
  if (now.kind !== 'object') return { change: 'unreadable', fields: [] };
  if (before?.kind === 'object') return differenceOf(now, exactFields(before), exactFields(now));
  const isNew = before === undefined ? isWhole : before.kind === 'removed';
  return { change: isNew ? 'new' : 'written', fields: [] };
}

function differenceOf(
  { fields: { paused } }: StoredObject,
  before: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
): Pick<Version, 'change' | 'fields'> {
  const names = new Set([...now.keys(), ...before.keys()]);
  const fields = [...names].filter((name) => !isDeepStrictEqual(before.get(name), now.get(name)));
  if (fields.length === 0) return { change: 'unchanged', fields };
  if (fields.join() !== 'paused') return { change: 'changed', fields };
  return { change: paused === true ? 'paused' : 'resumed', fields };
}

type StoredObject = Extract<StoredConfiguration, { readonly kind: 'object' }>;

/** Returns the fields of a document. Their numbers keep their digits. */
function exactFields({ text }: StoredObject): ReadonlyMap<string, unknown> {
  return new Map(Object.entries<unknown>(Object(parseExact(text))));
}
