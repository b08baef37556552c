import type { Table } from '../../../src/kafka/reader/topic-table.ts';

/** A table that returns its documents as text. */
export class MapTable implements Table {
  readonly #documents = new Map<string, string>();

  ids(): Iterable<string> {
    return this.#documents.keys();
  }

  upsert(id: string, document: Uint8Array): void {
    this.#documents.set(id, Buffer.from(document).toString('utf8'));
  }

  remove(id: string): void {
    this.#documents.delete(id);
  }

  get(id: string): string | undefined {
    return this.#documents.get(id);
  }

  entries(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#documents);
  }
}
