import { once } from 'node:events';
import { isIP } from 'node:net';
import { createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createConnector } from '../../../src/http/connector.ts';
import { Resolver } from '../../../src/http/dns/resolver.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { portOf } from '../../support/endpoints/endpoint.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { authority, directRoute } from '../client-under-test.ts';
import { startDnsServer, type FamilyEntry, type Zone } from './dns-server.ts';

/** The answers of a name server for one family, and the code of the error if it has no address. */
const answers = {
  address: undefined,
  unreachable: undefined,
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

/** Nothing listens at any of these addresses but at the first. Those of IPv6 lead to the same ones. */
const addresses = {
  a: {
    address: ['127.0.0.1'],
    unreachable: ['127.0.0.3'],
    long: Array.from({ length: 100 }, (_, index) => `127.0.1.${index + 1}`),
  },
  aaaa: {
    address: ['0:0:0:0:0:ffff:7f00:1'],
    unreachable: ['0:0:0:0:0:ffff:7f00:3'],
    long: Array.from({ length: 100 }, (_, index) => `0:0:0:0:0:ffff:7f00:${(0x101 + index).toString(16)}`),
  },
};

function entryOf(answer: Answer, family: keyof typeof addresses): FamilyEntry {
  if (answer === 'address' || answer === 'unreachable' || answer === 'long') return addresses[family][answer];
  return answer === 'none' ? [] : answer;
}

const zone: Zone = Object.fromEntries(
  cases.map(({ name, a, aaaa, delaysMs }) => [name, { a: entryOf(a, 'a'), aaaa: entryOf(aaaa, 'aaaa'), delaysMs }]),
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

/** Returns what becomes of a connection: the code of its error, if it has one. */
function reached(one: Case): string {
  if (one.a === 'address' || one.aaaa === 'address') return 'connected';
  const found = expected(one);
  return typeof found === 'string' ? found : 'ECONNREFUSED';
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
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
        await resolver
          .resolve(one.name)
          .then(
            (resolved) => [
              ...(resolved.some((address) => isIP(address) === 4) ? ['A'] : []),
              ...(resolved.some((address) => isIP(address) === 6) ? ['AAAA'] : []),
            ],
            codeOf,
          ),
      ]),
    );
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(cases.map((one) => [one.name, expected(one)])));
    const tries = server.queries.filter((query) => query === 'A silence-silence-0.test');
    expect(tries.length).toBeLessThanOrEqual(2);
  });

  it('leads to a connection if one of the addresses can be reached, however late it comes', async () => {
    await using server = await startDnsServer(zone);
    await using resolver = new Resolver({ findServers: () => [server.address], hostsFile: '/nonexistent' });
    const { certificate: cert, key } = authority.issue({ names: cases.map(({ name }) => name) });
    await using listener = createServer({ cert, key }, (socket) => void socket.on('error', () => undefined).end());
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    const connect = createConnector({
      // No wait of this test ends by this timeout.
      connectTimeoutMs: 600_000,
      clock: systemClock,
      route: directRoute({ resolve: resolver.resolve.bind(resolver) }),
    });
    // The others have the errors of the test above. Handshakes keep the loop from the name server of this process, and c-ares
    // would not get its answers in time, so there are few at once.
    const silent = (one: Case): boolean => one.a === 'silence' || one.aaaa === 'silence';
    const connecting = cases.filter((one) => reached(one) === 'connected' || reached(one) === 'ECONNREFUSED');
    const others = connecting.filter((one) => !silent(one));
    const rounds = [connecting.filter(silent), ...chunks(others, 12)];
    const found: [string, unknown][] = [];
    for (const round of rounds) {
      const reachedOf = async ({ name }: Case): Promise<[string, unknown]> => [
        name,
        await connect({ host: name, port: portOf(listener) }, new AbortController()).then(
          ({ socket }) => (socket.destroy(), 'connected'),
          codeOf,
        ),
      ];
      found.push(...(await Promise.all(round.map(reachedOf))));
    }
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(connecting.map((one) => [one.name, reached(one)])));
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
