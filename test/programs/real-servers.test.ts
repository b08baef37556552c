import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { findProgram, type ProgramName } from '../support/programs/programs.ts';
import { needs } from '../support/programs/needs.ts';
import { startOnce } from '../support/service/start-once.ts';
import { aSubscriber } from '../support/service/subscriber.ts';
import { writeTemporaryFiles, type TemporaryFiles } from '../support/files/temporary-files.ts';
import { eventually } from '../support/time/eventually.ts';

/** A server that subscribers use, with TLS on the port. The next port is free for it, too. */
interface RealServer {
  readonly program: ProgramName;
  /** Returns the files that it needs beside its certificate. */
  readonly files: (port: number, folder: string) => Readonly<Record<string, string>>;
  readonly args: (port: number, folder: string) => readonly string[];
}

/** Refuses each fourth request for a second. */
const haproxy: RealServer = {
  program: 'haproxy',
  files: (port, folder) => ({
    'haproxy.cfg': `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend https
  bind 127.0.0.1:${port} ssl crt ${folder}/both.pem
  stick-table type ip size 1 expire 1h store http_req_cnt
  http-request track-sc0 src
  http-request return status 429 hdr Retry-After 1 if { sc_http_req_cnt(0),mod(4) eq 0 }
  http-request return status 200
`,
  }),
  args: (_port, folder) => ['-db', '-f', `${folder}/haproxy.cfg`],
};

/** Takes five requests a second, and refuses others for a second. */
const nginx: RealServer = {
  program: 'nginx',
  files: (port, folder) => ({
    'nginx.conf': `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log crit;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  limit_req_zone $server_port zone=all:1m rate=5r/s;
  limit_req_status 429;
  map $status $seconds { 429 1; }
  server { listen 127.0.0.1:${port + 1}; return 204; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    add_header Retry-After $seconds always;
    location / { limit_req zone=all; proxy_pass http://127.0.0.1:${port + 1}; }
  }
}
`,
  }),
  args: (_port, folder) => ['-p', folder, '-c', `${folder}/nginx.conf`],
};

/** Serves one connection after the other. */
const gunicorn: RealServer = {
  program: 'gunicorn',
  files: () => ({
    'receiver.py': `
def app(environ, start_response):
    environ["wsgi.input"].read()
    start_response("204 No Content", [])
    return []
`,
  }),
  args: (port, folder) => {
    const tls = ['--certfile', `${folder}/cert.pem`, '--keyfile', `${folder}/key.pem`];
    return [
      '--bind',
      `127.0.0.1:${port}`,
      '--workers=1',
      '--log-level=critical',
      '--chdir',
      folder,
      ...tls,
      'receiver:app',
    ];
  },
};

const running = startOnce({ delays: ['1s', '2s', '5s', '1m'], environment: { CIRCUIT_COOLDOWN: '60s' } });

/** The servers, with how often attempts and deferrals end in which way. */
describe.each([
  // 31 requests: of the last four, the fourth is not needed. What waits too long for the pace is deferred.
  {
    server: haproxy,
    what: 'refuses each fourth request for a second',
    count: 24,
    ends: expect.objectContaining({ 200: 24, 429: 7 }) as unknown,
  },
  {
    server: nginx,
    what: 'takes five requests a second',
    count: 60,
    ends: expect.objectContaining({ 204: 60 }) as unknown,
  },
  { server: gunicorn, what: 'serves one connection after the other', count: 30, ends: { 204: 30 } },
])('$server.program, which $what', ({ server, count, ends }) => {
  it(`gets ${count} certificates`, needs(server.program), async () => {
    expect(await deliver(server, count)).toEqual(ends);
  });
});

/** Delivers that many certificates to the server, and counts attempts by their status, and deferrals by their outcome. */
async function deliver(server: RealServer, count: number): Promise<Readonly<Record<string, number>>> {
  const { platform, service } = running;
  const port = await findFreePorts(2);
  await using _server = await start(server, port);
  const subscriber = aSubscriber(platform, { url: `https://localhost:${port}/` });
  await platform.configure(subscriber.configuration());
  await platform.complete(...subscriber.certificates(count));
  const { webhookId: configurationId } = subscriber;
  await service.logged('delivery.attempted', count, { configurationId, outcome: 'delivered' });
  expect(await platform.deadLetters()).toEqual([]);
  const ends = service.log
    .filter(({ event }) => event === 'delivery.attempted' || event === 'delivery.deferred')
    .filter((line) => line['configurationId'] === configurationId)
    .map(({ outcome, status }) => String(status ?? outcome));
  return Object.fromEntries([...Map.groupBy(ends, (name) => name)].map(([name, all]) => [name, all.length]));
}

async function start({ program, files, args }: RealServer, port: number): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const { certificate, key } = running.platform.authority.issue();
  const folder = stack.use(await writeTemporaryFiles({ 'cert.pem': certificate, 'key.pem': key }));
  await write(folder, { ...files(port, folder.root), 'both.pem': `${certificate}\n${key}` });
  const child = spawn(findProgram(program) ?? program, args(port, folder.root), { stdio: 'ignore' });
  const exited = once(child, 'exit');
  stack.defer(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  await eventually(`${program} listens`, () => isOpen(port));
  const owned = stack.move();
  return { [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function write(folder: TemporaryFiles, files: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(Object.entries(files).map(([name, content]) => folder.write(name, content)));
}

async function isOpen(port: number): Promise<boolean> {
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
