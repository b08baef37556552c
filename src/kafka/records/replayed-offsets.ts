import type { Place } from './replay-headers.ts';

/** Offsets that share a piece of memory; markers come in long runs. */
const pieceLength = 1024;

/**
 * Which dead letters were replayed: four bytes for each offset near one that was, for topics of millions. A place counts
 * together with the certificate record that is said to be behind it: where a topic was copied or made anew, places mean
 * other letters, and those must not be passed over.
 */
export class ReplayedPlaces {
  readonly #pieces = new Map<number, Map<number, Uint32Array>>();

  add({ partition, offset }: Place, source: string): void {
    const own = this.#pieces.get(partition) ?? new Map<number, Uint32Array>();
    this.#pieces.set(partition, own);
    const piece = own.get(pieceOf(offset)) ?? new Uint32Array(pieceLength);
    own.set(pieceOf(offset), piece);
    piece[offset % pieceLength] = markOf(source);
  }

  has({ partition, offset }: Place, source: string): boolean {
    const piece = this.#pieces.get(partition)?.get(pieceOf(offset));
    return piece?.[offset % pieceLength] === markOf(source);
  }
}

function pieceOf(offset: number): number {
  return Math.floor(offset / pieceLength);
}

/** FNV-1a; zero means that there is nothing. */
function markOf(source: string): number {
  let mark = 0x811c9dc5;
  for (let at = 0; at < source.length; at += 1) mark = Math.imul(mark ^ source.charCodeAt(at), 0x01000193);
  return mark >>> 0 || 1;
}
