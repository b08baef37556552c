import type { DeadLetterPosition } from './replay-headers.ts';

/** Number of neighbouring offsets that share one array. Replayed dead letters are mostly neighbours. */
const chunkLength = 1024;

/**
 * The set of dead letters that were replayed, in about four bytes each, for topics with millions of them.
 *
 * Each offset is stored with a hash of its certificate record's position. In a topic that was copied or recreated, the same
 * offset holds another dead letter, which must not be skipped.
 */
export class ReplayedOffsets {
  readonly #partitions = new Map<number, Map<number, Uint32Array>>();

  add({ partition, offset }: DeadLetterPosition, source: string): void {
    const chunks = this.#partitions.get(partition) ?? new Map<number, Uint32Array>();
    this.#partitions.set(partition, chunks);
    const chunk = chunks.get(chunkOf(offset)) ?? new Uint32Array(chunkLength);
    chunks.set(chunkOf(offset), chunk);
    chunk[offset % chunkLength] = hashOf(source);
  }

  has({ partition, offset }: DeadLetterPosition, source: string): boolean {
    const chunk = this.#partitions.get(partition)?.get(chunkOf(offset));
    return chunk?.[offset % chunkLength] === hashOf(source);
  }
}

function chunkOf(offset: number): number {
  return Math.floor(offset / chunkLength);
}

/** Returns the 32-bit FNV-1a hash, or 1 instead of 0, because 0 means that the offset is not in the set. */
function hashOf(source: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < source.length; index += 1) hash = Math.imul(hash ^ source.charCodeAt(index), 0x01000193);
  return hash >>> 0 || 1;
}
