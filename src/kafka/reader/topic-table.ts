import { isFramed, withoutRegistry, type FramedValues } from '../../certificates/framing.ts';
import { framedDocument } from './framed-document.ts';

/** What a compacted topic stands for: the newest value of each key. Filled by whoever reads the topic. */
export interface Table {
  /** The bytes are a slice of something larger: what is kept of them is copied. */
  upsert(id: string, document: Uint8Array): void;
  /** Of one that may not be there. */
  remove(id: string): void;
  /** What is not among these is removed. */
  replaceAll(documents: Iterable<{ readonly id: string; readonly document: Uint8Array }>): void;
}

/**
 * Applies a topic's records to a table. When the topic has to be read again from its start, what is read is set aside
 * until it is complete: the table keeps its last good state instead of going back in time or losing half its keys.
 */
export class TopicTable {
  readonly #table: Table;
  readonly #framed: FramedValues;
  /** What the reading under way has come to so far. */
  #rebuilt: Map<string, Buffer> | undefined;

  constructor(table: Table, framed: FramedValues = withoutRegistry) {
    this.#table = table;
    this.#framed = framed;
  }

  /** Undefined when the record can be applied now; else a promise that resolves when it is worth asking again. */
  whenReadable({ key, value }: TableRecord): Promise<void> | undefined {
    return key !== null && value !== null && isFramed(value) ? this.#framed.whenReadable(value) : undefined;
  }

  apply({ key, value }: TableRecord): void {
    if (key === null) return;
    const id = key.toString('utf8');
    const document = value !== null && isFramed(value) ? framedDocument(value, this.#framed) : value;
    if (this.#rebuilt === undefined) applyToTable(this.#table, id, document);
    else applyToMap(this.#rebuilt, id, document);
  }

  /** From now on records are those of a new reading, from the start. */
  beginRebuild(): void {
    this.#rebuilt = new Map();
  }

  /** The reading is complete: the table becomes what it came to. */
  finishRebuild(): void {
    const aside = this.#rebuilt;
    if (aside === undefined) return;
    this.#table.replaceAll(documentsOf(aside));
    this.#rebuilt = undefined;
  }
}

interface TableRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

function applyToTable(table: Table, id: string, value: Buffer | null): void {
  if (value === null) table.remove(id);
  else table.upsert(id, value);
}

function applyToMap(aside: Map<string, Buffer>, id: string, value: Buffer | null): void {
  if (value === null) aside.delete(id);
  else aside.set(id, Buffer.from(value));
}

/** One at a time: there may be a million. */
function* documentsOf(aside: ReadonlyMap<string, Buffer>): Generator<{ id: string; document: Buffer }> {
  for (const [id, document] of aside) yield { id, document };
}
