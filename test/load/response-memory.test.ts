import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ClientUnderTest, identity } from '../http/client-under-test.ts';
import { status } from '../support/endpoints/answers.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';

it('a bomb that is large when compressed is not read to its end', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const headers = { 'content-encoding': 'gzip', 'content-length': bomb.length };
  await using endpoint = await startEndpoint({ identity, answers: [status(200, { headers, body: bomb })] });
  await using client = new ClientUnderTest();
  const before = process.memoryUsage().rss;
  expect(await client.outcome({ port: endpoint.port })).toEqual({ kind: 'delivered', status: 200 });
  await client.open(0);
  expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
});
