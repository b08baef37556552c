import { describe, expect, it } from 'vitest';
import { Resolver } from '../../../src/http/dns/resolver.ts';
import { parseSearchDomains } from '../../../src/http/dns/system-file.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { startDnsServer, type DnsServer } from './dns-server.ts';

it.each([
  ['', []],
  ['nameserver 10.96.0.10\n', []],
  ['search a.test b.test\n', ['a.test', 'b.test']],
  ['search\tA.test.  b.test \noptions ndots:5', ['a.test', 'b.test']],
  ['search a.test\nsearch b.test', ['b.test']],
  ['domain a.test b.test', ['a.test']],
  ['search a.test\ndomain b.test', ['b.test']],
  ['# search a.test\n;search b.test', []],
  ['search .\n', []],
  ['search 1.t 2.t 3.t 4.t 5.t 6.t 7.t', ['1.t', '2.t', '3.t', '4.t', '5.t', '6.t']],
])('of %j the search domains are %j', (text, domains) => {
  expect(parseSearchDomains(text)).toEqual(domains);
});

describe('a name in a cluster, which getent and curl resolve', () => {
  const domains = ['team-b.svc.cluster.local', 'svc.cluster.local', 'cluster.local'];
  const inCluster = { 'receiver.team-a.svc.cluster.local': { a: ['10.96.0.7'] } };
  const queriesOf = ({ queries }: DnsServer): readonly string[] => [
    ...new Set(queries.map((one) => one.replace(/^A+ /, ''))),
  ];

  it('is tried with each search domain once it does not exist as it is', async () => {
    await using server = await startDnsServer(inCluster);
    await using folder = await resolvConf(`search ${domains.join(' ')}\noptions ndots:5\n`);
    await using resolver = resolverOf(server, folder);
    expect(await resolver.resolve('Receiver.team-a.svc')).toEqual(['10.96.0.7']);
    expect(queriesOf(server)).toEqual([
      'receiver.team-a.svc',
      'receiver.team-a.svc.team-b.svc.cluster.local',
      'receiver.team-a.svc.svc.cluster.local',
      'receiver.team-a.svc.cluster.local',
    ]);
  });

  it('has no search domain if a dot ends it, or the whole of it exists', async () => {
    const entry = { a: ['192.0.2.1'] };
    await using server = await startDnsServer({ ...inCluster, 'hooks.test': entry, 'hooks.test.cluster.local': entry });
    await using folder = await resolvConf(`search ${domains.join(' ')}\n`);
    await using resolver = resolverOf(server, folder);
    await expect(resolver.resolve('receiver.team-a.svc.')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(await resolver.resolve('hooks.test')).toEqual(['192.0.2.1']);
    expect(queriesOf(server)).toEqual(['receiver.team-a.svc', 'hooks.test']);
  });

  it('is not looked for further while a server fails', async () => {
    await using server = await startDnsServer({
      ...inCluster,
      'receiver.team-a.svc.svc.cluster.local': { a: 'servfail', aaaa: 'servfail' },
    });
    await using folder = await resolvConf(`search ${domains.slice(1).join(' ')}\n`);
    await using resolver = resolverOf(server, folder);
    await expect(resolver.resolve('receiver.team-a.svc')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  it('fails as before if no domain has it, or it would be too long there', async () => {
    await using server = await startDnsServer({ 'bare.test': {} });
    await using folder = await resolvConf(`search ${'d'.repeat(63)}.${'e'.repeat(63)} cluster.local\n`);
    await using resolver = resolverOf(server, folder);
    await expect(resolver.resolve('bare.test')).rejects.toMatchObject({ code: 'ENODATA' });
    const long = [1, 2, 3].map(() => 'n'.repeat(63)).join('.');
    await expect(resolver.resolve(long)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.queries.every((query) => query.length < 258)).toBe(true);
  });
});

/** Writes a file with search domains. */
async function resolvConf(text: string) {
  const files = await writeTemporaryFiles({ 'resolv.conf': text });
  return { ...files, searchFile: files.path('resolv.conf') };
}

function resolverOf(server: DnsServer, { searchFile }: { readonly searchFile: string }): Resolver {
  return new Resolver({ findServers: () => [server.address], hostsFile: '/nonexistent/hosts', searchFile });
}
