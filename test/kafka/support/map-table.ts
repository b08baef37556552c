import type { Table } from '../../../src/kafka/reader/topic-table.ts';

/** A table that returns its documents as text. */
export class MapTable implements Table {
  readonly #documents = new Map<string, string>();

  upsert(id: string, document: Uint8Array): void {
    this.#documents.set(id, Buffer.from(document).toString('utf8'));
  }

  remove(id: string): void {
    this.#documents.delete(id);
  }

  replaceAll(documents: Iterable<{ readonly id: string; readonly document: Uint8Array }>): void {
    this.#documents.clear();
    for (const { id, document } of documents) this.upsert(id, document);
  }

  get(id: string): string | undefined {
    return this.#documents.get(id);
  }

  entries(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#documents);
  }
}
