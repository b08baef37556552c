import { isIPv4 } from 'node:net';

/** Returns the first and last address of a network, and the addresses just outside it. */
export function borderAddresses(network: string): readonly string[] {
  const [base = '', bits = ''] = network.split('/');
  const format = isIPv4(base) ? formats.ipv4 : formats.ipv6;
  const size = 2n ** BigInt(format.bits - Number(bits));
  const first = (format.parse(base) / size) * size;
  const around = [first - 1n, first, first + size / 2n, first + size - 1n, first + size];
  return around.filter((value) => value >= 0n && value < 2n ** BigInt(format.bits)).map(format.print);
}

const formats = {
  ipv4: {
    bits: 32,
    parse: (text: string) => text.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n),
    print: (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.'),
  },
  ipv6: {
    bits: 128,
    parse: (text: string) => groupsOf(text).reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n),
    print: (value: bigint) => value.toString(16).padStart(32, '0').match(/.{4}/g)?.join(':') ?? '',
  },
};

/** Returns all eight groups of an IPv6 address, including those that `::` abbreviates. */
function groupsOf(text: string): readonly string[] {
  const [left = [], right = []] = text.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}
