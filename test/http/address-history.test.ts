import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressHistory, endpointOf } from '../../src/http/address-history.ts';

const port = 443;
const ipv4 = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const;
const ipv6 = ['2001:db8::1', '2001:db8::2'] as const;

function aHistory({ random = 0, failed = [] as readonly string[] } = {}): AddressHistory {
  const history = new AddressHistory(() => random);
  for (const address of failed) history.noteFailure(endpointOf(address, port), 0);
  return history;
}

describe('the addresses of a name', () => {
  it('take turns by family, IPv4 first', () => {
    expect(aHistory().order([...ipv4, ...ipv6], port, 0)).toEqual([ipv4[0], ipv6[0], ipv4[1], ipv6[1], ipv4[2]]);
  });

  it('begin with each one equally often', () => {
    const firsts = [0, 0.34, 0.67].map((random) => aHistory({ random }).order(ipv4, port, 0)[0]);
    expect(firsts).toEqual(ipv4);
  });

  it('end with those that failed lately', () => {
    const history = aHistory({ failed: [ipv4[0], ipv6[0]] });
    expect(history.order([...ipv4, ...ipv6], port, 59_999)).toEqual([ipv4[1], ipv6[1], ipv4[2], ipv4[0], ipv6[0]]);
    expect(history.order([...ipv4], port, 60_000)).toEqual(ipv4);
  });

  it('are as before once one works again, and for another port', () => {
    const history = aHistory({ failed: [ipv4[0]] });
    expect(history.order(ipv4, 8443, 0)).toEqual(ipv4);
    history.noteSuccess(endpointOf(ipv4[0], port));
    expect(history.order(ipv4, port, 0)).toEqual(ipv4);
  });

  it('are all there, each once', () => {
    const addresses = fc.uniqueArray(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 32 });
    fc.assert(
      fc.property(addresses, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (all, random) => {
        const history = aHistory({ random, failed: all.filter((_, index) => index % 3 === 0) });
        expect(history.order(all, port, 0).toSorted()).toEqual(all.toSorted());
      }),
    );
  });
});
