import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AdminServerError, type AdminServer } from '../../../src/telemetry/admin/admin-server.ts';
import { anAdminServer } from '../support/admin-server.ts';
import { captureLog } from '../support/log.ts';

async function request(server: AdminServer, path: string, method = 'GET'): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers: { connection: 'close' } });
}

describe('the admin server', () => {
  it('answers HEAD with the headers of GET and nothing else', async () => {
    await using server = await anAdminServer();
    const response = await request(server, '/livez', 'HEAD');
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '3', '']);
  });

  it('counts bytes, not characters', async () => {
    await using server = await anAdminServer({ liveness: () => ['größer'] });
    const response = await request(server, '/livez');
    expect(await response.json()).toEqual(['größer']);
  });

  it('ignores the body of a request that it refuses', async () => {
    await using server = await anAdminServer();
    const body = 'x'.repeat(1_000_000);
    const headers = { connection: 'close' };
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`, { method: 'POST', body, headers });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    await response.text();
  });

  it('answers 500 and logs the stack frames if a source fails, and continues', async () => {
    const log = captureLog();
    const metrics = { render: async () => Promise.reject(new RangeError('hunter2')) };
    await using server = await anAdminServer({ metrics }, log);
    const response = await request(server, '/metrics');
    expect([response.status, await response.text()]).toEqual([500, 'failed; the log says why\n']);
    expect(log.lines()).toMatchObject([
      { level: 'error', event: 'admin.failed', path: '/metrics', error: { name: 'RangeError' } },
    ]);
    expect(log.text()).not.toContain('hunter2');
    expect((await request(server, '/livez')).status).toBe(200);
  });

  it('names the setting if the port is in use', async () => {
    await using server = await anAdminServer();
    const second = anAdminServer({ port: server.port });
    await expect(second).rejects.toThrow(AdminServerError);
    await expect(second).rejects.toThrow(
      `cannot listen on 127.0.0.1:${server.port}: port ${server.port} (HTTP_PORT) is in use`,
    );
  });

  it('names the settings if the address belongs to another machine', async () => {
    const started = anAdminServer({ host: '192.0.2.1' });
    await expect(started).rejects.toThrow('HTTP_HOST or HTTP_PORT: EADDRNOTAVAIL');
  });

  it('frees its port when it is disposed, even if a client keeps its connection', async () => {
    const server = await anAdminServer();
    const kept = connect(server.port, '127.0.0.1');
    kept.write('GET /livez HTTP/1.1\r\nHost: here\r\n\r\n');
    await once(kept, 'data');
    await server[Symbol.asyncDispose]();
    kept.end();
    await once(kept, 'close');
    await using again = await anAdminServer({ port: server.port });
    expect((await request(again, '/livez')).status).toBe(200);
  });

  it('finishes the answers in flight when it is disposed', async () => {
    const { promise: requested, resolve: renderCalled } = Promise.withResolvers<void>();
    const { promise: rendered, resolve: finish } = Promise.withResolvers<string>();
    const render = async (): Promise<string> => {
      renderCalled();
      return rendered;
    };
    const server = await anAdminServer({ metrics: { render } });
    const response = request(server, '/metrics');
    await requested;
    const disposed = server[Symbol.asyncDispose]();
    finish('late\n');
    expect(await (await response).text()).toBe('late\n');
    await disposed;
  });
});
