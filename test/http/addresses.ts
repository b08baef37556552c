import { isIPv4 } from 'node:net';

export type Family = 4 | 6;

/** Parses an address of either family into a number. */
export function parseAddress(text: string): bigint {
  if (isIPv4(text)) return text.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
  const [left = [], right = []] = text.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Writes an address in full, without `::`. */
function formatAddress(value: bigint, family: Family): string {
  return family === 4
    ? digits(value, 4, 256n).join('.')
    : digits(value, 8, 65_536n)
        .map((group) => group.toString(16))
        .join(':');
}

/** Returns an address of a CIDR by its position, from 0 (the first address) to 1 (the last). */
export function addressIn(network: string, family: Family, part: number): string {
  const [address = '', prefix = ''] = network.split('/');
  const size = 1n << BigInt((family === 4 ? 32 : 128) - Number(prefix));
  const fraction = BigInt(Math.floor(part * 2 ** 52));
  return formatAddress(parseAddress(address) + ((size - 1n) * fraction) / 2n ** 52n, family);
}

function digits(value: bigint, count: number, base: bigint): readonly bigint[] {
  return Array.from({ length: count }, (_, index) => (value / base ** BigInt(count - 1 - index)) % base);
}
