import { describe, expect, it } from 'vitest';
import { Resolver } from '../../src/http/dns/resolver.ts';
import { aWebhook, release, startGates, success } from '../flow/support/gates-under-test.ts';
import { TlsSessions } from '../../src/http/tls/tls-sessions.ts';
import { startDnsServer } from '../http/dns/dns-server.ts';
import { bytesPer, settledHeapBytes, settledMemoryBytes } from '../support/resources/memory.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

describe('a hundred thousand endpoints', () => {
  it('take less than a kilobyte each', async () => {
    using test = startGates();
    const webhooks = Array.from({ length: 100_000 }, (_, number) => aWebhook(`endpoint-${number}`));
    const bytes = await bytesPer(webhooks.length, () => {
      for (const webhook of webhooks) release(test.acquireFor(webhook), success);
    });
    expect(bytes).toBeLessThan(1024);
  });
});

describe('ten thousand TLS sessions of 700 bytes', () => {
  it('take less than a kilobyte each, although Node cuts them out of larger blocks', async () => {
    const sessions = new TlsSessions();
    const before = await settledMemoryBytes();
    for (let number = 0; number < 10_000; number += 1) {
      // As Node does. Other data of the same moment share the block.
      const session = Buffer.concat([Buffer.alloc(100, 'a'), Buffer.alloc(600, 'b')]);
      Buffer.allocUnsafe(3000);
      sessions.store(`host-${number}.test:443`, { session, validUntil: 1000 });
    }
    expect(((await settledMemoryBytes()) - before) / 10_000).toBeLessThan(1024);
    expect(sessions.find('host-0.test:443', 0)).toBeDefined();
  });
});

describe('an answer of a thousand addresses', () => {
  it('takes less than 3 KB while it is remembered', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `host-${index}.test`);
    const numbers = Array.from({ length: 500 }, (_, index) => index + 1);
    const many = {
      a: numbers.map((number) => `8.8.${number >> 8}.${number & 255}`),
      aaaa: numbers.map((number) => `2606:4700:1:1:1:1:1:${number.toString(16)}`),
    };
    // The first lookups also allocate what is needed once.
    const [first, rest] = [names.slice(0, 20), names.slice(20)];
    await using server = await startDnsServer(Object.fromEntries(names.map((name) => [name, many])));
    await using resolver = new Resolver({
      findServers: () => [server.address],
      hostsFile: '/nonexistent/hosts',
      clock: new ManualClock(),
    });
    for (const name of first) await resolver.resolve(name);
    const before = await settledHeapBytes();
    for (const name of rest) await resolver.resolve(name);
    expect(((await settledHeapBytes()) - before) / rest.length).toBeLessThan(3000);
  });
});
