import { describe, expect, it } from 'vitest';
import { Resolver } from '../../../src/http/dns/resolver.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { startDnsServer, type FamilyEntry, type Zone } from './dns-server.ts';

/** The answers of a name server for one family, and the code of the error if it has no address. */
const answers = {
  address: undefined,
  // Truncated over UDP, and complete over TCP.
  long: undefined,
  none: 'ENODATA',
  alias: 'ENODATA',
  loop: 'ENODATA',
  nxdomain: 'ENOTFOUND',
  servfail: 'ESERVFAIL',
  refused: 'EREFUSED',
  silence: 'ETIMEOUT',
} as const;
type Answer = keyof typeof answers;

const kinds = Object.keys(answers) as readonly Answer[];
const lateMs = 120;
const delays = [
  { a: 0, aaaa: 0 },
  { a: lateMs, aaaa: 0 },
  { a: 0, aaaa: lateMs },
] as const;
const cases = kinds.flatMap((a) =>
  kinds.flatMap((aaaa) => delays.map((delaysMs, index) => ({ a, aaaa, delaysMs, name: `${a}-${aaaa}-${index}.test` }))),
);
type Case = (typeof cases)[number];

const ipv4 = ['192.0.2.1'];
const ipv6 = ['2606:4700:0:0:0:0:0:1111'];
const manyIpv4 = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`);
const manyIpv6 = Array.from({ length: 100 }, (_, index) => `2606:4700:1:1:1:1:1:${(index + 1).toString(16)}`);

function entryOf(answer: Answer, one: readonly string[], many: readonly string[]): FamilyEntry {
  if (answer === 'address') return one;
  if (answer === 'long') return many;
  return answer === 'none' ? [] : answer;
}

const zone: Zone = Object.fromEntries(
  cases.map(({ name, a, aaaa, delaysMs }) => [
    name,
    { a: entryOf(a, ipv4, manyIpv4), aaaa: entryOf(aaaa, ipv6, manyIpv6), delaysMs },
  ]),
);

/** Returns the families whose addresses are found, or the code of the error. */
function expected({ a, aaaa }: Case): readonly string[] | string {
  const [codeA, codeAaaa] = [answers[a], answers[aaaa]];
  if (codeA !== undefined && codeAaaa !== undefined) {
    const isFinal = (code: string): boolean => code === 'ENODATA' || code === 'ENOTFOUND';
    return [codeA, codeAaaa].find((code) => !isFinal(code)) ?? codeA;
  }
  return [...(codeA === undefined ? ['A'] : []), ...(codeAaaa === undefined ? ['AAAA'] : [])];
}

describe('every pair of answers for both families, early and late', () => {
  it('leads to the addresses that there are, or to the error that says most', async () => {
    await using server = await startDnsServer(zone);
    // A clock that stands still, so that no family is too late.
    const clock = new ManualClock();
    await using resolver = new Resolver({ findServers: () => [server.address], hostsFile: '/nonexistent', clock });
    const found = await Promise.all(
      cases.map(async (one) => [
        one.name,
        await resolver.resolve(one.name).then(
          (addresses) => [
            ...(addresses.some((address) => address.includes('.')) ? ['A'] : []),
            ...(addresses.some((address) => address.includes(':')) ? ['AAAA'] : []),
          ],
          (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
        ),
      ]),
    );
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(cases.map((one) => [one.name, expected(one)])));
  });
});

it('a name that leads nowhere for both families is remembered for five seconds', async () => {
  const clock = new ManualClock();
  await using server = await startDnsServer({ 'hooks.test': { a: 'alias', aaaa: 'alias' } });
  await using resolver = new Resolver({ findServers: () => [server.address], hostsFile: '/nonexistent', clock });
  await expect(resolver.resolve('hooks.test')).rejects.toMatchObject({ code: 'ENODATA' });
  await clock.advance(5000);
  await expect(resolver.resolve('hooks.test')).rejects.toMatchObject({ code: 'ENODATA' });
  expect(server.queries).toHaveLength(4);
});
