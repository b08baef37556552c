import { describe, expect, it } from 'vitest';
import { createRegistryClient } from '../../../src/certificates/registry/registry-client.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { reserveRefusingPort } from '../../support/endpoints/listeners.ts';
import { notFound, startRegistryServer, type AnswerPath } from '../../support/registry/registry-server.ts';

const signal = AbortSignal.timeout(60_000);
const text = '"int"';

/** Serves each of these paths its schema. */
function serving(schemas: Readonly<Record<string, unknown>>): AnswerPath {
  return (path) => {
    if (path in schemas) return { body: schemas[path] };
    return notFound(path.includes('/subjects/') ? 40_402 : 40_403);
  };
}

function clientOf(...urls: readonly string[]) {
  return createRegistryClient({
    urls,
    credentials: async () => Promise.resolve(undefined),
    certificateAuthorities: [],
  });
}

describe('a registry', () => {
  it('is asked for a schema under the path that it has', async () => {
    await using server = await startRegistryServer({
      answer: serving({ '/apis/ccompat/v7/schemas/ids/7': { schema: text } }),
    });
    const find = clientOf(`${server.url}/apis/ccompat/v7`);
    expect(await find(7, signal)).toEqual({ kind: 'found', found: { type: 'AVRO', text, references: [] } });
    expect(await find(8, signal)).toEqual({ kind: 'unknown' });
  });

  it('is asked for all that a schema refers to, each once, and what is referred to comes first', async () => {
    const reference = (name: string) => ({ name, subject: `${name}/value`, version: 2 });
    await using server = await startRegistryServer({
      answer: serving({
        '/schemas/ids/1': { schema: 'root', schemaType: 'PROTOBUF', references: [reference('a'), reference('b')] },
        '/subjects/a%2Fvalue/versions/2': { schema: 'A', references: [reference('c')] },
        '/subjects/b%2Fvalue/versions/2': { schema: 'B', references: [reference('c'), reference('a')] },
        '/subjects/c%2Fvalue/versions/2': { schema: 'C', references: [reference('a')] },
      }),
    });
    const references = ['c', 'a', 'b'].map((name) => ({ name, text: name.toUpperCase() }));
    expect(await clientOf(server.url)(1, signal)).toEqual({
      kind: 'found',
      found: { type: 'PROTOBUF', text: 'root', references },
    });
    expect(server.paths).toHaveLength(4);
  });

  it('that lacks what a schema refers to does not have the schema', async () => {
    const references = [{ name: 'a', subject: 'a', version: 1 }];
    await using server = await startRegistryServer({
      answer: serving({ '/schemas/ids/1': { schema: 'x', references } }),
    });
    expect(await clientOf(server.url)(1, signal)).toEqual({ kind: 'unknown' });
  });

  it('that refers without end is not followed without end', async () => {
    let version = 0;
    const answer: AnswerPath = () => {
      version += 1;
      return { body: { schema: 'x', references: [{ name: 'a', subject: 'a', version }] } };
    };
    await using server = await startRegistryServer({ answer });
    expect(await clientOf(server.url)(1, signal)).toMatchObject({ kind: 'failed', failure: 'unexpected' });
    expect(server.paths.length).toBeLessThan(250);
  });
});

describe('a registry that can not be asked', () => {
  it('is unreachable when nobody listens, hangs up, or answers more than any schema', async () => {
    await using port = await reserveRefusingPort();
    expect(await clientOf(`http://127.0.0.1:${port.port}`)(1, signal)).toMatchObject({
      kind: 'failed',
      failure: 'unreachable',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    await using rude = await startRegistryServer({ answer: () => 'hang up' });
    expect(await clientOf(rude.url)(1, signal)).toMatchObject({ kind: 'failed', failure: 'unreachable' });
    await using talkative = await startRegistryServer({ answer: () => ({ body: 'x'.repeat(5 * 1024 * 1024) }) });
    expect(await clientOf(talkative.url)(1, signal)).toMatchObject({
      kind: 'failed',
      reason: 'the answer has more than 4194304 bytes',
    });
  });

  it('is let go of at once when nobody needs the answer any more', async () => {
    const asked = Promise.withResolvers<undefined>();
    await using silent = await startRegistryServer({
      answer: () => {
        asked.resolve(undefined);
        return 'nothing';
      },
    });
    const calling = new AbortController();
    const answer = clientOf(silent.url)(1, calling.signal);
    await asked.promise;
    calling.abort();
    expect(await answer).toMatchObject({ kind: 'failed', failure: 'unreachable' });
  });

  it('is stood in for by the next of its addresses, which is asked first from then on', async () => {
    await using broken = await startRegistryServer({ answer: () => ({ status: 503, body: '' }) });
    await using whole = await startRegistryServer({ answer: serving({ '/schemas/ids/1': { schema: text } }) });
    const find = clientOf(broken.url, whole.url);
    expect(await find(1, signal)).toMatchObject({ kind: 'found' });
    expect(await find(2, signal)).toEqual({ kind: 'unknown' });
    expect([broken.paths.length, whole.paths.length]).toEqual([1, 2]);
  });

  it('says what the last of its addresses said when all fail', async () => {
    await using broken = await startRegistryServer({ answer: () => ({ status: 503, body: '' }) });
    await using closed = await startRegistryServer({ answer: () => ({ status: 401, body: '' }) });
    expect(await clientOf(broken.url, closed.url)(1, signal)).toEqual({
      kind: 'failed',
      failure: 'refused',
      reason: 'it answers 401',
    });
  });
});

describe('credentials for a registry', () => {
  it('go along with each question, as they are by then', async () => {
    const seen: unknown[] = [];
    await using server = await startRegistryServer({
      answer: (_path, { authorization }) => {
        seen.push(authorization);
        return notFound(40_403);
      },
    });
    const passwords = ['first', 'pässword:'];
    const find = createRegistryClient({
      urls: [server.url],
      credentials: async () => Promise.resolve({ username: 'u', password: new Secret(passwords.shift() ?? '') }),
      certificateAuthorities: [],
    });
    await find(1, signal);
    await find(1, signal);
    expect(seen).toEqual(['Basic dTpmaXJzdA==', `Basic ${Buffer.from('u:pässword:').toString('base64')}`]);
  });
});

describe('a registry behind TLS', () => {
  it('is believed when its certificate is of an authority that was given, and not otherwise', async () => {
    const authority = createAuthority();
    const answer = serving({ '/schemas/ids/1': { schema: text } });
    const { key, certificate: cert } = authority.issue();
    await using server = await startRegistryServer({ answer, identity: { key, cert } });
    const options = { urls: [server.url], credentials: async () => Promise.resolve(undefined) };
    const trusting = createRegistryClient({ ...options, certificateAuthorities: [authority.certificate] });
    expect(await trusting(1, signal)).toMatchObject({ kind: 'found' });
    const wary = createRegistryClient({ ...options, certificateAuthorities: [] });
    expect(await wary(1, signal)).toMatchObject({ kind: 'failed', failure: 'unreachable' });
    expect(server.paths).toHaveLength(1);
  });
});
