import { describe, expect, it } from 'vitest';
import type { FindServers } from '../../../src/http/dns/name-server.ts';
import { Resolver } from '../../../src/http/dns/resolver.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { patience } from '../client-under-test.ts';
import { startDnsServer } from './dns-server.ts';

describe('name servers that change while the service runs', () => {
  const known = { 'hooks.test': { a: ['192.0.2.1'] }, 'other.test': { a: ['192.0.2.2'] } } as const;
  const silent = { 'hooks.test': { a: 'silence', aaaa: 'silence' } } as const;

  it('are asked five seconds later', async () => {
    const clock = new ManualClock();
    await using first = await startDnsServer(known);
    await using second = await startDnsServer(known);
    let servers = [first.address];
    await using resolver = resolverOf(() => servers, clock);
    servers = [second.address];
    await clock.advance(4999);
    await resolver.resolve('hooks.test');
    expect(second.queries).toEqual([]);
    await clock.advance(1);
    await resolver.resolve('other.test');
    expect(second.queries).toHaveLength(2);
  });

  it('are asked at once when the old ones fail, for the same lookup', async () => {
    const gone = await startDnsServer({});
    await gone[Symbol.asyncDispose]();
    await using server = await startDnsServer(known);
    let servers = [gone.address];
    await using resolver = resolverOf(() => servers);
    servers = [server.address];
    expect(await Promise.all(['hooks.test', 'other.test'].map((name) => resolver.resolve(name)))).toEqual([
      ['192.0.2.1'],
      ['192.0.2.2'],
    ]);
  });

  it('leave a lookup that the old ones have not answered to them, and it ends with the resolver', async () => {
    const clock = new ManualClock();
    await using old = await startDnsServer(silent);
    await using server = await startDnsServer(known);
    let servers = [old.address];
    const resolver = resolverOf(() => servers, clock);
    const lookup = resolver.resolve('hooks.test').catch((error: unknown) => error);
    await expect.poll(() => old.queries, patience).toHaveLength(2);
    servers = [server.address];
    await clock.advance(5000);
    expect(await resolver.resolve('other.test')).toEqual(['192.0.2.2']);
    await resolver[Symbol.asyncDispose]();
    expect(await lookup).toMatchObject({ code: 'ECANCELLED' });
  });

  it('are not looked at for each name while lookups succeed', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `host-${index}.test`);
    await using server = await startDnsServer(Object.fromEntries(names.map((name) => [name, { a: ['192.0.2.1'] }])));
    let looks = 0;
    const findServers = (): readonly string[] => {
      looks += 1;
      return [server.address];
    };
    await using resolver = resolverOf(findServers);
    for (const name of names) await resolver.resolve(name);
    expect(looks).toBe(1);
  });
});

function resolverOf(findServers: FindServers, clock = new ManualClock()): Resolver {
  return new Resolver({ findServers, hostsFile: '/nonexistent', clock });
}
