import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { closing } from '../support/endpoints/answers.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { reserveRefusingPort } from '../support/endpoints/listeners.ts';
import { needs } from '../support/programs/needs.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { authority, ClientUnderTest, patience } from '../deliveries/http/client-under-test.ts';

const identity = authority.issue({ names: ['localhost'] });

describe('through tinyproxy', needs('tinyproxy'), () => {
  it('requests are delivered with the right credentials', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [200, closing(200)] });
    await using proxy = await startTinyproxy();
    await using client = clientThrough(`http://user:password@localhost:${proxy.port}`);
    for (const _ of [1, 2, 3]) {
      expect(await client.outcome({ port: endpoint.port, host: 'localhost' })).toEqual({
        kind: 'delivered',
        status: 200,
      });
    }
    await expect.poll(() => client.client.state().open, patience).toBe(0);
    expect(client.opened).toEqual([false, true]);
  });

  it('failures are distinguished', async () => {
    await using refusing = await reserveRefusingPort();
    await using proxy = await startTinyproxy();
    await using client = clientThrough(`http://user:password@127.0.0.1:${proxy.port}`);
    const to = { port: refusing.port };
    expect(await client.outcome({ ...to, host: 'localhost' })).toMatchObject({ kind: 'connect_error' });
    expect(await client.outcome({ ...to, host: 'forbidden.test' })).toMatchObject({ kind: 'blocked' });
    await using wrong = clientThrough(`http://user:wrong@127.0.0.1:${proxy.port}`);
    expect((await wrong.outcome({ ...to, host: 'localhost' })).kind).toBe('local_error');
  });
});

async function startTinyproxy(): Promise<AsyncDisposable & { readonly port: number }> {
  const port = await findFreePorts(1);
  const files = await writeTemporaryFiles({ 'forbidden.txt': 'forbidden\n' });
  const settings = [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'BasicAuth user password', 'LogLevel Critical'];
  const filter = `Filter "${files.path('forbidden.txt')}"`;
  const configured = await writeTemporaryFiles({ 'tinyproxy.conf': `${[...settings, filter].join('\n')}\n` });
  const child = spawn('tinyproxy', ['-d', '-c', configured.path('tinyproxy.conf')], { stdio: 'ignore' });
  await vi.waitUntil(() => isListening(port), patience);
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await files[Symbol.asyncDispose]();
      await configured[Symbol.asyncDispose]();
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function clientThrough(url: string): ClientUnderTest {
  return new ClientUnderTest({ proxyUrl: () => Promise.resolve(new Secret(url)) });
}
