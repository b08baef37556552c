import { describe, expect, it } from 'vitest';
import { Resolver } from '../../../src/http/dns/resolver.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { patience } from '../client-under-test.ts';
import { startDnsServer, type DnsServer } from './dns-server.ts';

const notFound = { code: 'ENOTFOUND' };
const ipv6 = '2606:4700:0:0:0:0:0:1111';

describe('a name', () => {
  it('leads to its IPv4 and IPv6 addresses', async () => {
    await using server = await startDnsServer({ 'hooks.test': { a: ['192.0.2.1', '192.0.2.2'], aaaa: [ipv6] } });
    await using resolver = resolverOf(server);
    expect(await resolver.resolve('hooks.test')).toEqual(['192.0.2.1', '192.0.2.2', '2606:4700::1111']);
  });

  it('is the same in any case, and with a dot at its end', async () => {
    await using server = await startDnsServer({ 'hooks.test': { a: ['192.0.2.1'] } });
    await using resolver = resolverOf(server);
    expect(await resolver.resolve('HOOKS.test.')).toEqual(['192.0.2.1']);
    expect(await resolver.resolve('hooks.test')).toEqual(['192.0.2.1']);
    expect(server.queries.toSorted()).toEqual(['A hooks.test', 'AAAA hooks.test']);
  });

  it('is used as it is, if there is no file with search domains', async () => {
    await using server = await startDnsServer({});
    await using resolver = resolverOf(server);
    await expect(resolver.resolve('short')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.queries.toSorted()).toEqual(['A short', 'AAAA short']);
  });

  it('does not wait for a family whose server is silent', async () => {
    const clock = new ManualClock();
    await using server = await startDnsServer({ 'hooks.test': { a: ['192.0.2.1'], aaaa: 'silence' } });
    await using resolver = resolverOf(server, { clock });
    const addresses = resolver.resolve('hooks.test');
    // The timer of its permit, and that of the family it still waits for.
    await expect.poll(() => clock.pending, patience).toBe(2);
    await clock.advance(50);
    expect(await addresses).toEqual(['192.0.2.1']);
  });
});

describe('a lookup fails', () => {
  it('for a name that is none', async () => {
    await using server = await startDnsServer({});
    await using resolver = resolverOf(server);
    await expect(resolver.resolve('a..test')).rejects.toMatchObject({ code: 'EBADNAME' });
  });

  it('when no name server is there', async () => {
    const server = await startDnsServer({});
    await server[Symbol.asyncDispose]();
    await using resolver = resolverOf(server);
    await expect(resolver.resolve('hooks.test')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('at once when the resolver is disposed', async () => {
    await using server = await startDnsServer({ 'hooks.test': { a: 'silence', aaaa: 'silence' } });
    const resolver = resolverOf(server);
    const lookup = resolver.resolve('hooks.test').catch((error: unknown) => error);
    await expect.poll(() => server.queries, patience).toHaveLength(2);
    await resolver[Symbol.asyncDispose]();
    expect(await lookup).toMatchObject({ code: 'ECANCELLED' });
  });

  it('without a query when the resolver is disposed while it reads the hosts file', async () => {
    await using server = await startDnsServer({ 'hooks.test': { a: 'silence', aaaa: 'silence' } });
    const resolver = resolverOf(server);
    const lookup = resolver.resolve('hooks.test').catch((error: unknown) => error);
    await resolver[Symbol.asyncDispose]();
    expect(await lookup).toMatchObject({ code: 'CLOSED' });
    expect(server.queries).toEqual([]);
  });
});

describe('an answer', () => {
  it.each([
    ['its time to live', 60, 60_000],
    ['half a minute at least', 1, 30_000],
    ['five minutes at most', 86_400, 300_000],
  ])('is kept for %s', async (_title, ttlSeconds, keptMs) => {
    const clock = new ManualClock();
    await using server = await startDnsServer({ 'hooks.test': { a: ['192.0.2.1'], ttlSeconds } });
    await using resolver = resolverOf(server, { clock });
    await resolver.resolve('hooks.test');
    await clock.advance(keptMs - 1);
    await resolver.resolve('hooks.test');
    expect(server.queries).toHaveLength(2);
    await clock.advance(1);
    await resolver.resolve('hooks.test');
    expect(server.queries).toHaveLength(4);
  });

  it('that there is no address is kept for five seconds', async () => {
    const clock = new ManualClock();
    await using server = await startDnsServer({});
    await using resolver = resolverOf(server, { clock });
    await expect(resolver.resolve('none.test')).rejects.toMatchObject(notFound);
    await clock.advance(4999);
    await expect(resolver.resolve('none.test')).rejects.toMatchObject(notFound);
    expect(server.queries).toHaveLength(2);
    await clock.advance(1);
    await expect(resolver.resolve('none.test')).rejects.toMatchObject(notFound);
    expect(server.queries).toHaveLength(4);
  });

  it('without the IPv4 part is used, and looked up again after five seconds', async () => {
    const clock = new ManualClock();
    const hooks: { a: string[] | 'silence'; aaaa: string[] } = { a: 'silence', aaaa: [ipv6] };
    await using server = await startDnsServer({ 'hooks.test': hooks });
    await using resolver = resolverOf(server, { clock });
    const partial = resolver.resolve('hooks.test');
    await expect.poll(() => clock.pending, patience).toBe(2);
    await clock.advance(50);
    expect(await partial).toEqual(['2606:4700::1111']);
    hooks.a = ['192.0.2.1'];
    await clock.advance(4999);
    expect(await resolver.resolve('hooks.test')).toEqual(['2606:4700::1111']);
    await clock.advance(1);
    expect(await resolver.resolve('hooks.test')).toEqual(['192.0.2.1', '2606:4700::1111']);
  });

  it('that comes late completes the one that is kept, for its time to live', async () => {
    const clock = new ManualClock();
    const delaysMs = { a: 100, aaaa: 0 };
    await using server = await startDnsServer({ 'hooks.test': { a: ['192.0.2.1'], aaaa: [ipv6], delaysMs } });
    await using resolver = resolverOf(server, { clock });
    const late = Promise.withResolvers<readonly string[]>();
    const first = resolver.resolve('hooks.test', (all) => late.resolve(all));
    await expect.poll(() => clock.pending, patience).toBe(2);
    await clock.advance(50);
    expect(await first).toEqual(['2606:4700::1111']);
    expect(await late.promise).toEqual(['192.0.2.1', '2606:4700::1111']);
    await clock.advance(59_999);
    expect(await resolver.resolve('hooks.test')).toEqual(['192.0.2.1', '2606:4700::1111']);
    expect(server.queries).toHaveLength(2);
  });

  it('is shared by all callers that wait for it', async () => {
    await using server = await startDnsServer({ 'hooks.test': { a: ['192.0.2.1'] } });
    await using resolver = resolverOf(server);
    await Promise.all(Array.from({ length: 100 }, () => resolver.resolve('hooks.test')));
    expect(server.queries).toHaveLength(2);
  });
});

describe('an answer of thousands of addresses', () => {
  // A message holds at most 64 KiB.
  const ipv4Addresses = Array.from({ length: 4000 }, (_, index) => `8.8.${index >> 8}.${index & 255}`);
  const ipv6Addresses = Array.from({ length: 2300 }, (_, index) => `2606:4700:1:1:1:1:1:${(index + 1).toString(16)}`);
  const entry = { a: ipv4Addresses, aaaa: ipv6Addresses };

  it('leads to 16 of each family, and the others are counted', async () => {
    const dropped: number[] = [];
    let checked = 0;
    const isAllowed = (): boolean => (checked += 1) > 0;
    await using server = await startDnsServer({ 'hooks.test': entry });
    const onDropped = (count: number): void => void dropped.push(count);
    await using resolver = resolverOf(server, { clock: new ManualClock(), isAllowed, onDropped });
    expect(await resolver.resolve('hooks.test')).toEqual([
      ...ipv4Addresses.slice(0, 16),
      ...ipv6Addresses.slice(0, 16),
    ]);
    expect([dropped, checked]).toEqual([[3984 + 2284], 32]);
  });

  it.each([
    ['with a time to live of a second', { a: ipv4Addresses, ttlSeconds: 1 }],
    ['although the server fails for the other family', { a: ipv4Addresses, aaaa: 'servfail' }],
  ] as const)('is kept for five minutes, %s', async (_title, hostile) => {
    const clock = new ManualClock();
    await using server = await startDnsServer({ 'hooks.test': hostile });
    await using resolver = resolverOf(server, { clock });
    await resolver.resolve('hooks.test');
    const asked = server.queries.length;
    await clock.advance(299_999);
    await resolver.resolve('hooks.test');
    expect(server.queries).toHaveLength(asked);
    await clock.advance(1);
    await resolver.resolve('hooks.test');
    expect(server.queries.length).toBeGreaterThan(asked);
  });
});

it('looks up a thousand names at once without losing an answer', async () => {
  const names = Array.from({ length: 1000 }, (_, index) => `host-${index}.test`);
  await using server = await startDnsServer(Object.fromEntries(names.map((name) => [name, { a: ['192.0.2.1'] }])));
  await using resolver = resolverOf(server);
  const answers = await Promise.all(names.map((name) => resolver.resolve(name)));
  expect(answers).toEqual(names.map(() => ['192.0.2.1']));
});

it('looks up at most 4096 names at once, each for any number of callers', async () => {
  const names = Array.from({ length: 4096 }, (_, index) => `host-${index}.test`);
  const silence = { a: 'silence', aaaa: 'silence' } as const;
  await using server = await startDnsServer(Object.fromEntries(names.map((name) => [name, silence])));
  const resolver = resolverOf(server);
  const codes = [...names, 'host-0.test'].map((name) => codeOf(resolver.resolve(name)));
  expect(await codeOf(resolver.resolve('one-more.test'))).toBe('TOO_MANY_LOOKUPS');
  await expect.poll(() => server.queries.length, patience).toBeGreaterThan(0);
  await resolver[Symbol.asyncDispose]();
  expect(new Set(await Promise.all(codes))).toEqual(new Set(['ECANCELLED', 'CLOSED']));
});

it('resolves a healthy name within four seconds behind the greatest number of silent ones', async () => {
  const clock = new ManualClock();
  const names = Array.from({ length: 4095 }, (_, index) => `host-${index}.test`);
  const silence = { a: 'silence', aaaa: 'silence' } as const;
  const silent = Object.fromEntries(names.map((name) => [name, silence]));
  await using server = await startDnsServer({ ...silent, 'hooks.test': { a: ['192.0.2.1'] } });
  const resolver = resolverOf(server, { clock });
  const codes = names.map((name) => codeOf(resolver.resolve(name)));
  const addresses = resolver.resolve('hooks.test');
  await clock.advance(4000);
  expect(await addresses).toEqual(['192.0.2.1']);
  await resolver[Symbol.asyncDispose]();
  await Promise.all(codes);
});

describe('the hosts file', () => {
  it('leads to 16 addresses of a family at most', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `192.0.2.${index} hooks.test\n`);
    await using files = await writeTemporaryFiles({ hosts: lines.join('') });
    await using server = await startDnsServer({});
    await using resolver = resolverOf(server, { hostsFile: files.path('hosts') });
    expect(await resolver.resolve('hooks.test')).toHaveLength(16);
  });

  it('is used before the name server, and read again', async () => {
    const clock = new ManualClock();
    await using files = await writeTemporaryFiles({ hosts: '192.0.2.9 hooks.test\n' });
    await using server = await startDnsServer({ 'hooks.test': { a: ['192.0.2.1'] } });
    await using resolver = resolverOf(server, { clock, hostsFile: files.path('hosts') });
    expect(await resolver.resolve('hooks.test')).toEqual(['192.0.2.9']);
    await files.write('hosts', '');
    expect(await resolver.resolve('hooks.test')).toEqual(['192.0.2.9']);
    await clock.advance(30_000);
    expect(await resolver.resolve('hooks.test')).toEqual(['192.0.2.1']);
  });

  it('has localhost on this machine', async () => {
    await using resolver = new Resolver();
    expect(await resolver.resolve('localhost')).toContain('127.0.0.1');
  });
});

async function codeOf(lookup: Promise<unknown>): Promise<unknown> {
  const failure = await lookup.catch((error: unknown) => error);
  return failure instanceof Error && 'code' in failure ? failure.code : failure;
}

function resolverOf(server: DnsServer, options: ConstructorParameters<typeof Resolver>[0] = {}): Resolver {
  return new Resolver({ findServers: () => [server.address], hostsFile: '/nonexistent/hosts', ...options });
}
