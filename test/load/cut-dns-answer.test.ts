import { expect, it } from 'vitest';
import { Resolver } from '../../src/http/dns/resolver.ts';
import { startPair } from '../http/client-under-test.ts';
import { startDnsServer } from '../http/dns/dns-server.ts';

it('an answer of a name server that ends too early delays no delivery', async () => {
  await using dns = await startDnsServer({ 'cut.test': { a: 'cut', aaaa: 'cut' } });
  await using resolver = new Resolver({ findServers: () => [dns.address], hostsFile: '/nonexistent' });
  await using pair = await startPair();
  const responseMs = async (): Promise<number> => {
    const startedAt = performance.now();
    await pair.outcome();
    return performance.now() - startedAt;
  };
  const before: number[] = [];
  for (let count = 0; count < 500; count += 1) before.push(await responseMs());
  const lookup = { result: 'pending' };
  void resolver.resolve('cut.test').catch(() => (lookup.result = 'failed'));
  const cost = process.cpuUsage();
  const beside: number[] = [];
  while (lookup.result === 'pending') beside.push(await responseMs());
  const { user, system } = process.cpuUsage(cost);
  expect((user + system) / 1e6).toBeLessThan(4);
  expect(median(beside)).toBeLessThan(2 * median(before));
});

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
