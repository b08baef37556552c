import { isFramed, withoutRegistry, type FramedValues } from '../../certificates/framing.ts';
import { framedDocument } from './framed-document.ts';

/** The newest document of each key of a compacted topic. The reader of the topic fills it. */
export interface Table {
  /** Adds or replaces a document. Its bytes are a slice of a response, so the table copies what it keeps. */
  upsert(id: string, document: Uint8Array): void;
  /** Removes a document if there is one. */
  remove(id: string): void;
  /** Replaces all documents by these. */
  replaceAll(documents: Iterable<{ readonly id: string; readonly document: Uint8Array }>): void;
}

/**
 * Applies the records of a topic to a table. When the topic is read again from its start, records are collected apart until
 * all are read. Until then the table keeps its last complete state, instead of going back in time or losing keys.
 */
export class TopicTable {
  readonly #table: Table;
  readonly #framed: FramedValues;
  /** Documents collected by the rebuild in progress. */
  #rebuilt: Map<string, Buffer> | undefined;

  constructor(table: Table, framed: FramedValues = withoutRegistry) {
    this.#table = table;
    this.#framed = framed;
  }

  /** Returns undefined if the record can be applied, else a promise after which it can be asked again. */
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

  /** Collects the records from now on apart from the table, because the topic is read from its start again. */
  beginRebuild(): void {
    this.#rebuilt = new Map();
  }

  /** Replaces the table's documents by the collected ones. Does nothing if no rebuild is in progress. */
  finishRebuild(): void {
    const rebuilt = this.#rebuilt;
    if (rebuilt === undefined) return;
    this.#table.replaceAll(documentsOf(rebuilt));
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

function applyToMap(documents: Map<string, Buffer>, id: string, value: Buffer | null): void {
  if (value === null) documents.delete(id);
  else documents.set(id, Buffer.from(value));
}

/** Yields one document at a time, because there may be a million. */
function* documentsOf(documents: ReadonlyMap<string, Buffer>): Generator<{ id: string; document: Buffer }> {
  for (const [id, document] of documents) yield { id, document };
}
