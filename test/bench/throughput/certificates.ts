import { aCertificateDocument, json } from '../../support/builders.ts';
import { Random } from '../../simulation/random.ts';
import { idOf } from '../written-at.ts';

/** Certificates for so many owners. */
export interface Crowd {
  readonly certificates: number;
  readonly owners: number;
  /** One for each in turn; else few owners get many, and many get few. */
  readonly inTurn?: boolean;
}

const seed = 20_261_121;

/** To whom each certificate belongs, by its number, and the same for whoever asks: in turn, or by Zipf's law with exponent 1. */
export function ownersOf({ certificates, owners, inTurn = false }: Crowd): Uint32Array {
  if (inTurn) return Uint32Array.from({ length: certificates }, (_, number) => number % owners);
  const random = new Random(seed);
  const sums = new Float64Array(owners);
  let sum = 0;
  for (let owner = 0; owner < owners; owner += 1) sums[owner] = sum += 1 / (owner + 1);
  return Uint32Array.from({ length: certificates }, () => firstAbove(sums, random.next() * sum));
}

/** As it is written to Kafka: between 600 and 700 bytes. */
export function certificateOf(number: number, owner: number, writtenAt = 0): Buffer {
  return json(aCertificateDocument({ _id: idOf(number, writtenAt), _ownerId: nameOf(owner) }));
}

export function nameOf(owner: number): string {
  return `owner-${owner}`;
}

/** The index of the first sum that is above that point; they ascend. */
function firstAbove(sums: Float64Array, point: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] ?? 0) > point) high = middle;
    else low = middle + 1;
  }
  return low;
}
