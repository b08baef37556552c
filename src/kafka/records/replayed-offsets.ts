import type { DeadLetterPosition } from './replay-headers.ts';

/** Offsets that share a piece of memory; markers come in long runs. */
const chunkLength = 1024;

/**
 * Which dead letters were replayed: four bytes for each offset near one that was, for topics of millions. A place counts
 * together with the certificate record that is said to be behind it: where a topic was copied or made anew, places mean
 * other letters, and those must not be passed over.
 */
export class ReplayedOffsets {
  readonly #pieces = new Map<number, Map<number, Uint32Array>>();

  add({ partition, offset }: DeadLetterPosition, source: string): void {
    const own = this.#pieces.get(partition) ?? new Map<number, Uint32Array>();
    this.#pieces.set(partition, own);
    const piece = own.get(chunkOf(offset)) ?? new Uint32Array(chunkLength);
    own.set(chunkOf(offset), piece);
    piece[offset % chunkLength] = hashOf(source);
  }

  has({ partition, offset }: DeadLetterPosition, source: string): boolean {
    const piece = this.#pieces.get(partition)?.get(chunkOf(offset));
    return piece?.[offset % chunkLength] === hashOf(source);
  }
}

function chunkOf(offset: number): number {
  return Math.floor(offset / chunkLength);
}

/** FNV-1a; zero means that there is nothing. */
function hashOf(source: string): number {
  let mark = 0x811c9dc5;
  for (let at = 0; at < source.length; at += 1) mark = Math.imul(mark ^ source.charCodeAt(at), 0x01000193);
  return mark >>> 0 || 1;
}
