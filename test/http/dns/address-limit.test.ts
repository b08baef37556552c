import { describe, expect, it } from 'vitest';
import { limitAddresses } from '../../../src/http/dns/address-limit.ts';

const allowed = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `8.8.8.${index}`);
const refused = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
const ipv6 = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `2606:4700::${(index + 1).toString(16)}`);
const isAllowed = (address: string): boolean => !address.startsWith('10.');

describe('the addresses of a name', () => {
  it.each([
    ['none', []],
    ['16 of each family', [...allowed(16), ...ipv6(16)]],
    ['refused ones, which the policy names', refused(16)],
  ])('are taken as they are: %s', (_title, addresses) => {
    expect(limitAddresses(addresses, isAllowed)).toEqual({ taken: addresses, dropped: 0 });
  });

  it.each([
    ['the first 16 of IPv4', allowed(17), allowed(16), 1],
    ['the first 16 of IPv6', ipv6(4000), ipv6(16), 3984],
    ['16 of each family', [...allowed(20), ...ipv6(30)], [...allowed(16), ...ipv6(16)], 18],
    ['all of the family that has few', [...allowed(3), ...ipv6(30)], [...allowed(3), ...ipv6(16)], 14],
    ['allowed ones first', [...refused(16), ...allowed(1)], [...allowed(1), ...refused(15)], 1],
    ['refused ones if none is allowed', refused(100), refused(16), 84],
    ['an allowed one behind 255 refused ones', [...refused(255), ...allowed(1)], [...allowed(1), ...refused(15)], 240],
  ])('are limited: %s', (_title, addresses, taken, dropped) => {
    expect(limitAddresses(addresses, isAllowed)).toEqual({ taken, dropped });
  });

  it('are checked 256 times for a family at most', () => {
    let checks = 0;
    const isNever = (): boolean => {
      checks += 1;
      return false;
    };
    limitAddresses([...refused(4000), ...ipv6(2300)], isNever);
    expect(checks).toBe(2 * 256);
  });
});
