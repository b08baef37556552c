import { aCertificateDocument, json } from '../../support/builders.ts';
import { Random } from '../../simulation/random.ts';
import { idOf } from '../written-at.ts';

/** A number of certificates, and of owners to distribute them over. */
export interface CertificateSet {
  readonly count: number;
  readonly owners: number;
}

const seed = 20_261_121;

/** Returns the owner of each certificate, by Zipf's law with exponent 1. Every call returns the same. */
export function ownersOf({ count, owners }: CertificateSet): Uint32Array {
  const random = new Random(seed);
  const sums = new Float64Array(owners);
  let sum = 0;
  for (let owner = 0; owner < owners; owner += 1) sums[owner] = sum += 1 / (owner + 1);
  return Uint32Array.from({ length: count }, () => firstAbove(sums, random.next() * sum));
}

/** Returns the value of a Kafka record, of 600 to 700 bytes. */
export function certificateOf(number: number, owner: number, writtenAt = 0): Buffer {
  return json(aCertificateDocument({ _id: idOf(number, writtenAt), _ownerId: nameOf(owner) }));
}

export function nameOf(owner: number): string {
  return `owner-${owner}`;
}

/** Returns the index of the first of the ascending sums that is above that point. */
function firstAbove(sums: Float64Array, point: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] ?? 0) > point) high = middle;
    else low = middle + 1;
  }
  return low;
}
