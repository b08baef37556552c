import { describe, expect, it } from 'vitest';
import { createRegistryClient } from '../../../src/certificates/registry/registry-client.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { reserveRefusingPort } from '../../support/endpoints/listeners.ts';
import { notFound, startRegistryServer, type AnswerPath } from '../../support/registry/registry-server.ts';

const signal = AbortSignal.timeout(60_000);
const text = '"int"';

/** Answers each of these paths with its schema, and others with 404. */
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
  it('is asked for a schema under the path of its URL', async () => {
    await using server = await startRegistryServer({
      answer: serving({ '/apis/ccompat/v7/schemas/ids/7': { schema: text } }),
    });
    const find = clientOf(`${server.url}/apis/ccompat/v7`);
    expect(await find(7, signal)).toEqual({ kind: 'found', found: { type: 'AVRO', text, references: [] } });
    expect(await find(8, signal)).toEqual({ kind: 'unknown' });
  });

  it('is asked for each reference of a schema once, and references come before the schemas that use them', async () => {
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

  it('is not asked for the references of a JSON Schema, because JSON is read without it', async () => {
    const references = [{ name: 'a', subject: 'a', version: 1 }];
    await using server = await startRegistryServer({
      answer: serving({ '/schemas/ids/1': { schema: '{}', schemaType: 'JSON', references } }),
    });
    expect(await clientOf(server.url)(1, signal)).toEqual({
      kind: 'found',
      found: { type: 'JSON', text: '{}', references: [] },
    });
    expect(server.paths).toEqual(['/schemas/ids/1']);
  });

  it('that lacks a reference of a schema counts as lacking the schema', async () => {
    const references = [{ name: 'a', subject: 'a', version: 1 }];
    await using server = await startRegistryServer({
      answer: serving({ '/schemas/ids/1': { schema: 'x', references } }),
    });
    expect(await clientOf(server.url)(1, signal)).toEqual({ kind: 'unknown' });
  });

  it('with endless references is asked for a limited number', async () => {
    let version = 0;
    const answer: AnswerPath = () => {
      version += 1;
      return { body: { schema: 'x', references: [{ name: 'a', subject: 'a', version }] } };
    };
    await using server = await startRegistryServer({ answer });
    expect(await clientOf(server.url)(1, signal)).toEqual({
      kind: 'found',
      found: { type: 'AVRO', text: 'x', references: [], excess: 'it is made of more than 200 others' },
    });
    expect(server.paths).toHaveLength(201);
  });
});

it('a registry is not asked for more references once those that it sent are longer than a schema may be', async () => {
  const reference = (name: string) => ({ name, subject: name, version: 1 });
  const schema = 'x'.repeat(600_000);
  const references = ['a', 'b', 'c'].map((name) => reference(name));
  const answer: AnswerPath = (path) => ({ body: path === '/schemas/ids/1' ? { schema: 'x', references } : { schema } });
  await using server = await startRegistryServer({ answer });
  const excess = 'it has more than 1048576 characters with its references';
  expect(await clientOf(server.url)(1, signal)).toMatchObject({ kind: 'found', found: { excess } });
  expect(server.paths).toHaveLength(3);
});

describe('a registry that fails', () => {
  it('is unreachable when it refuses the connection, closes it, or sends too long an answer', async () => {
    await using port = await reserveRefusingPort();
    expect(await clientOf(`http://127.0.0.1:${port.port}`)(1, signal)).toMatchObject({
      kind: 'failed',
      failure: 'unreachable',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    await using closing = await startRegistryServer({ answer: () => 'hang up' });
    expect(await clientOf(closing.url)(1, signal)).toMatchObject({ kind: 'failed', failure: 'unreachable' });
    await using verbose = await startRegistryServer({ answer: () => ({ body: 'x'.repeat(5 * 1024 * 1024) }) });
    expect(await clientOf(verbose.url)(1, signal)).toMatchObject({
      kind: 'failed',
      reason: 'the answer has more than 4194304 bytes',
    });
  });

  it('is no longer waited for after an abort', async () => {
    const asked = Promise.withResolvers<undefined>();
    await using silent = await startRegistryServer({ answer: () => (asked.resolve(undefined), 'nothing') });
    const calling = new AbortController();
    const answer = clientOf(silent.url)(1, calling.signal);
    await asked.promise;
    calling.abort();
    expect(await answer).toMatchObject({ kind: 'failed', failure: 'unreachable' });
  });

  it('is replaced by its next address, which is asked first from then on', async () => {
    await using broken = await startRegistryServer({ answer: () => ({ status: 503, body: '' }) });
    await using whole = await startRegistryServer({ answer: serving({ '/schemas/ids/1': { schema: text } }) });
    const find = clientOf(broken.url, whole.url);
    expect(await find(1, signal)).toMatchObject({ kind: 'found' });
    expect(await find(2, signal)).toEqual({ kind: 'unknown' });
    expect([broken.paths.length, whole.paths.length]).toEqual([1, 2]);
  });

  it('fails with the answer of its last address when all fail', async () => {
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
  it('are read again for each request', async () => {
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
  it('is trusted only when a configured authority issued its certificate', async () => {
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
