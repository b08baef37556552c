import { describe, expect, it } from 'vitest';
import { noSuchId, noSuchVersion, readAnswer } from '../../../src/certificates/registry/answer.ts';

const answer = (status: number, body: unknown, notFound = noSuchId) =>
  readAnswer({ status, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }, notFound);

describe('a response of a registry', () => {
  it.each([
    [{ schema: '"int"' }],
    [{ schema: '"int"', schemaType: null, references: null }],
    [{ schema: '"int"', id: 7, subject: 's', version: 1 }],
  ])('contains a schema: %j', (body) => {
    expect(answer(200, body)).toMatchObject({ kind: 'found', found: { schema: '"int"', references: [] } });
  });

  it('contains a schema with its type and references', () => {
    const references = [{ name: 'other.proto', subject: 'other', version: 3 }];
    const body = { schema: 'syntax', schemaType: 'PROTOBUF', references };
    expect(answer(200, body)).toEqual({ kind: 'found', found: body });
  });

  it.each([
    [40_401, noSuchVersion],
    [40_402, noSuchVersion],
    [40_403, noSuchId],
  ])('means an unknown schema with the error code %i', (code, notFound) => {
    expect(answer(404, { error_code: code, message: 'not found' }, notFound)).toEqual({ kind: 'unknown' });
  });

  it.each([
    [404, '<html>'],
    [404, {}],
    [404, { error_code: 404 }],
    [404, { error_code: 0 }],
    [404, { error_code: 40_401 }],
    [404, { error_code: '40403' }],
  ])('%i does not mean an unknown schema with the body %j', (status, body) => {
    expect(answer(status, body)).toMatchObject({ kind: 'failed', failure: 'unexpected' });
  });

  it.each([401, 403])('%i means a refusal', (status) => {
    expect(answer(status, { error_code: 40_403 })).toMatchObject({ kind: 'failed', failure: 'refused' });
  });

  it.each([
    [500, { error_code: 50_001, message: 'Error in the backend data store' }],
    [503, { error_code: 40_403 }],
    [302, ''],
    [200, '<html>'],
    [200, {}],
    [200, { schema: 7 }],
    [200, { schema: '', references: 'none' }],
    [204, ''],
  ])('%i with %j is unexpected', (status, body) => {
    expect(answer(status, body)).toMatchObject({ kind: 'failed', failure: 'unexpected' });
  });
});
