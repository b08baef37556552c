import { beforeAll, describe, expect, it } from 'vitest';
import { conformanceLines } from '../../src/cli/try/conformance/run-conformance.ts';
import type { Environment } from '../../src/settings.ts';
import { testIdPrefix } from '../../src/cli/try/sample.ts';
import { authentications, type Document } from '../support/builders.ts';
import { startConnectProxy } from '../support/endpoints/connect-proxy.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { needs } from '../support/programs/needs.ts';
import { identity } from '../http/client-under-test.ts';
import { startReceiver, type ReceiverName } from '../pages/support/receiver.ts';
import { startScriptedReceiver, type Behaviour } from '../cli/try/conformance/scripted-receiver.ts';
import { host, tryDocument, webhookAt } from '../cli/try/try-environment.ts';
import { faults } from '../cli/try/conformance/faults.ts';

const names = Object.keys(conformanceLines);
/**
 * Long enough for the handshakes of all receivers that are tried at once, in one process on a busy machine. With 11 of them
 * and 3 s, some were not established in time. Receivers that never answer take all of it.
 */
const environment = { DELIVERY_CONNECT_TIMEOUT: '10s', DELIVERY_TIMEOUT: '11s' };
/** The receivers that are tried at once. Most of the time goes by in pauses. */
const atOnce = 3;

interface Played {
  readonly code: 0 | 1;
  readonly out: readonly string[];
  /** The whole lines with a fault. */
  readonly faulty: readonly string[];
  /** The names of the other lines, by their marks. */
  readonly ok: readonly string[];
  readonly skipped: readonly string[];
}

async function play(port: number, overrides: Document = {}, more: Environment = {}): Promise<Played> {
  const { code, out } = await tryDocument(webhookAt(port, overrides), {
    environment: { ...environment, ...more },
    conformance: true,
  });
  const marked = (mark: string): readonly string[] =>
    names.filter((name) => out.some((line) => line.startsWith(`${mark.padEnd(7)}  ${name}  `)));
  const faulty = out.filter((line) => line.startsWith('FAULT'));
  return { code, out, faulty, ok: marked('ok'), skipped: marked('skipped') };
}

async function playScripted(change: Partial<Behaviour>, overrides?: Document): Promise<Played> {
  await using receiver = await startScriptedReceiver(change);
  return await play(receiver.port, overrides);
}

describe('a receiver with a fault', () => {
  const played = new Map<string, Played>();
  beforeAll(async () => {
    for (let at = 0; at < faults.length; at += atOnce) {
      const some = faults.slice(at, at + atOnce);
      await Promise.all(some.map(async ({ title, change }) => played.set(title, await playScripted(change()))));
    }
  }, 600_000);

  it.each(faults)('that $title is found by the line "$line" alone', ({ title, line }) => {
    const others = names.filter((name) => name !== line);
    const isFirst = line === names[0];
    expect(played.get(title)).toMatchObject({
      code: 1,
      faulty: [expect.stringContaining(`FAULT    ${line} `)],
      ok: isFirst ? [] : others,
      skipped: isFirst ? others : [],
    });
  });

  it('exists for each line', () => {
    expect(names.filter((name) => !faults.some(({ line }) => line === name))).toEqual([]);
  });
});

describe('a right receiver', () => {
  it('passes all lines', async () => {
    const played = await playScripted({});
    expect(played).toMatchObject({ code: 0, faulty: [], ok: names, skipped: [] });
    expect(played.out.at(-2)).toBe(`${names.length} ok, 0 with a fault, 0 skipped`);
  });

  it('may close each connection if its answer says so', async () => {
    const { code, out } = await playScripted({
      handle: (_request, response) => {
        response.setHeader('Connection', 'close');
        return false;
      },
    });
    expect([code, out.some((line) => line.endsWith('; each answer closes its connection'))]).toEqual([0, true]);
  });

  it('may speak HTTP/1.0, which closes each connection', async () => {
    const { out } = await playScripted({
      handle: (request) => {
        request.resume().once('end', () => request.socket.end('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}'));
        return true;
      },
    });
    expect(out.filter((line) => line.includes('reused connection'))).toEqual([
      expect.stringMatching(/^ok .*; each answer closes its connection$/),
    ]);
  });

  it('passes through a proxy', async () => {
    await using receiver = await startScriptedReceiver();
    await using proxy = await startConnectProxy();
    const played = await play(receiver.port, {}, { DELIVERY_PROXY_URL: `http://127.0.0.1:${proxy.port}` });
    expect(played).toMatchObject({ code: 0, faulty: [], ok: names });
    expect(new Set(proxy.targets)).toEqual(new Set([`${host}:${receiver.port}`]));
  });

  it('passes without the lines of a credential if the webhook has none', async () => {
    const played = await playScripted({ isAuthentic: () => true }, { auth: authentications.none });
    expect(played).toMatchObject({ code: 0, faulty: [], skipped: ['wrong credential', 'no credential'] });
  });

  it('passes without the second event if the webhook wants one alone', async () => {
    const played = await playScripted({}, { events: ['certificate_expired'] });
    expect(played).toMatchObject({ code: 0, faulty: [], skipped: ['both events'] });
  });

  it.each([
    { limits: {}, more: {}, most: 10 },
    { limits: { inFlight: 4 }, more: {}, most: 4 },
    { limits: { inFlight: 4 }, more: { DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '3' }, most: 3 },
  ])('gets $most requests at once with the limits $limits and $more', async ({ limits, more, most }) => {
    const open = new Set<unknown>();
    const counts: number[] = [];
    await using receiver = await startScriptedReceiver({
      storingMs: 200,
      handle: (request, response) => {
        counts.push(open.add(request).size);
        response.once('finish', () => open.delete(request));
        return false;
      },
    });
    const { code, out } = await play(receiver.port, { limits }, more);
    const line = out.find((text) => text.includes('ten at once'));
    expect([code, line]).toEqual([0, expect.stringMatching(new RegExp(`, ${most} at once$`))]);
    expect(Math.max(...counts)).toBeLessThanOrEqual(most);
  });

  it('gets no requests at once if its webhook has one alone', async () => {
    const played = await playScripted({}, { limits: { inFlight: 1 } });
    expect(played).toMatchObject({ code: 0, faulty: [], skipped: ['ten at once'] });
  });

  it('gets test certificates alone', async () => {
    await using endpoint = await startEndpoint({ identity });
    const { out } = await play(endpoint.port);
    expect(out.join('\n')).not.toMatch(/Zt7mQ1x9|production|private|hidden/);
    const ids = endpoint.requests.flatMap(({ body }) => /"_id":"(?<id>[^"]*)/.exec(String(body))?.groups?.['id'] ?? []);
    expect(ids.filter((id) => !id.startsWith(testIdPrefix))).toEqual([]);
    expect(ids.length).toBeGreaterThan(30);
  });
});

describe('receiver.mjs', () => {
  testExample('receiver.mjs');
});
describe('receiver.py', needs('python'), () => {
  testExample('receiver.py');
});

const headers = {
  bearer_token: 'Authorization: Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA',
  basic_auth: 'Authorization: Basic Y2VydGlmaWNhdGVzOmdyw7bDn2VyOmFscyAz',
  api_key: 'X-API-Key: Key-8d1f0c5b7a9e4632',
  custom_header: 'X-Partner-Secret: open sesame',
} as const;

function testExample(name: ReceiverName): void {
  it('passes with each method', async () => {
    await Promise.all(
      (['bearer_token', 'basic_auth', 'api_key', 'custom_header'] as const).map(async (method) => {
        await using receiver = await startReceiver(name, { identity, credentials: [headers[method]] });
        const played = await play(receiver.port, { auth: authentications[method] });
        expect(played).toMatchObject({ code: 0, faulty: [], skipped: [] });
      }),
    );
  });
}
