import { describe, expect, it } from 'vitest';
import { readCustomHeaders } from '../../src/webhooks/header-rules.ts';
import { authentications } from '../support/builders.ts';

const { none, bearer_token: bearer, basic_auth: basic, api_key: apiKey, custom_header: custom } = authentications;

function many(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, '']));
}

const clash = "the name, in any case, must not be another header's too";
const tooMany = 'customHeaders: together with the authentication header they must not exceed 64 headers';
const tooLarge = 'customHeaders: together with the authentication header they must not exceed 8192 bytes';

describe('custom headers', () => {
  it('keep the case of their names, their values and their order', () => {
    const { headers, problems } = readCustomHeaders({ 'x-LOWER': 'a b', Accept: '' }, bearer);
    expect([JSON.stringify(headers), problems]).toEqual(['{"x-LOWER":"a b","Accept":""}', []]);
  });

  it('are empty when they are left out', () => {
    expect(readCustomHeaders(undefined, bearer)).toMatchObject({ headers: {}, problems: [] });
  });

  it('may have the names of properties that every object has', () => {
    const text = '{"__proto__":"a","constructor":"b","toString":"c"}';
    const { headers, problems } = readCustomHeaders(JSON.parse(text), none);
    expect([JSON.stringify(headers), problems]).toEqual([text, []]);
  });

  it.each([
    ['each other', { 'X-A': '1', 'x-a': '2' }, none, 'x-a'],
    ['a bearer token', { authorization: 'x' }, bearer, 'authorization'],
    ['Basic', { AUTHORIZATION: 'x' }, basic, 'AUTHORIZATION'],
    ['an API key', { 'X-Api-Key': 'x' }, apiKey, 'X-Api-Key'],
    ['a header of the subscriber', { 'x-partner-secret': 'x' }, custom, 'x-partner-secret'],
  ])('are refused when a name clashes with %s', (_, headers, authentication, name) => {
    expect(readCustomHeaders(headers, authentication).problems).toEqual([`customHeaders.${name}: ${clash}`]);
  });

  it('may authenticate by themselves when no method is configured', () => {
    const headers = { Authorization: 'Token abc', 'X-API-Key': 'k' };
    expect(readCustomHeaders(headers, none).problems).toEqual([]);
  });

  it('are at most 64, the authentication header included', () => {
    const answers = [readCustomHeaders(many(64), none), readCustomHeaders(many(63), apiKey)];
    expect(answers.map(({ problems }) => problems)).toEqual([[], []]);
    const refused = [readCustomHeaders(many(65), none), readCustomHeaders(many(64), apiKey)];
    expect(refused.map(({ problems }) => problems)).toEqual([[tooMany], [tooMany]]);
  });

  it('are at most 8 KiB of names and values, the authentication header included', () => {
    const key = { authType: 'api_key', token: 'k'.repeat(1000) } as const;
    const room = 8192 - 'X-API-Key'.length - 1000 - 'X-A'.length;
    expect(readCustomHeaders({ 'X-A': 'a'.repeat(room) }, key).problems).toEqual([]);
    expect(readCustomHeaders({ 'X-A': 'a'.repeat(room + 1) }, key).problems).toEqual([tooLarge]);
  });

  it('are checked one by one only up to their limit', () => {
    const headers = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`X-${index}`, index]));
    const { problems } = readCustomHeaders(headers, none);
    expect(problems).toHaveLength(65);
  });

  it('never quote a value or an invalid name in a problem', () => {
    const { problems } = readCustomHeaders(
      { 'Bearer s3cret': 'X', 'X-Key': 's3crét', 'X-Nested': { toString: 's3cret' } },
      none,
    );
    expect(problems).toEqual([
      'customHeaders, entry 1: the name must be an RFC 9110 token',
      'customHeaders.X-Key: the value must be printable ASCII',
      'customHeaders.X-Nested: the value must be a string',
    ]);
  });
});
