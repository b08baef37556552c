import { describe, expect, it } from 'vitest';
import { createConfigurationParser } from '../../src/webhooks/configuration-schema.ts';
import { aConfiguration, authentications, type Document } from '../support/builders.ts';
import { configurationProblems } from '../support/contracts/asyncapi-checks.ts';
import { asyncApiDocument, asyncApiPath } from '../../docs/generate/asyncapi.ts';
import { contractText } from '../../docs/generate/contract-text.ts';
import { definitionProblems, findingsIn } from '../support/contracts/findings.ts';
import { readText } from '../support/files/sources.ts';

describe('the AsyncAPI document', () => {
  it('matches the code; `npm run docs` writes it again', async () => {
    expect(readText(asyncApiPath)).toBe(await contractText(asyncApiPath, asyncApiDocument()));
  });

  it('has no finding of the linter', async () => {
    expect(await findingsIn(readText(asyncApiPath))).toEqual([]);
  });

  it('is valid by the schema of AsyncAPI', () => {
    expect(definitionProblems(readText(asyncApiPath))).toEqual([]);
  });
});

describe('the schema of webhook configurations', () => {
  const parse = createConfigurationParser({ isAllowedPort: (port) => port === 443, mostInFlight: 16 });
  const isAccepted = (document: Document): boolean => parse(String(document['_id']), document).kind === 'accepted';

  it.each<readonly [string, Document]>([
    ...Object.entries(authentications).map(([method, auth]) => [`the method ${method}`, { auth }] as const),
    ['no auth', { auth: undefined }],
    ['an unknown field', { more: 1 }],
    ['limits', { limits: { inFlight: 4, perMinute: 60_000 } }],
    ['an empty password', { auth: { authType: 'basic_auth', username: 'u', password: '' } }],
    ['any security', { security: 7 }],
    ['no owner', { _ownerId: undefined }],
    ['an empty owner', { _ownerId: '' }],
    ['no URL', { url: undefined }],
    ['a URL without TLS', { url: 'http://hooks.example.com' }],
    ['a flag in words', { enabled: 'no' }],
    ['no event', { events: [] }],
    ['an unknown event', { events: ['certificate_lost'] }],
    ['an unknown method', { auth: { authType: 'hmac' } }],
    ['an empty token', { auth: { authType: 'api_key', token: '' } }],
    ['a token beyond ASCII', { auth: { authType: 'api_key', token: 'schlüssel' } }],
    ['a colon in a user name', { auth: { authType: 'basic_auth', username: 'a:b', password: '' } }],
    ['a space in the name of a header', { auth: { authType: 'custom_header', headerName: 'a b', headerValue: 'c' } }],
    ['no custom headers', { customHeaders: null }],
    ['a custom header that is no text', { customHeaders: { 'X-A': 1 } }],
    ['a custom header with a newline', { customHeaders: { 'X-A': 'a\nb' } }],
    ['a custom header with a bad name', { customHeaders: { 'X A': 'a' } }],
    ['65 custom headers', { customHeaders: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`X-${i}`, ''])) }],
    ['a limit of zero', { limits: { inFlight: 0 } }],
    ['a limit that is no whole number', { limits: { perMinute: 1.5 } }],
    ['a limit that is too high', { limits: { perMinute: 60_001 } }],
  ])('agrees with the service about %s', (_what, overrides) => {
    const written = JSON.parse(JSON.stringify(aConfiguration(overrides))) as Document;
    expect(configurationProblems(written).length === 0).toBe(isAccepted(written));
  });

  it.each<readonly [string, Document]>([
    ['At most 1,024 bytes of UTF-8', { _ownerId: 'x'.repeat(1025) }],
    ['no half of a surrogate pair', { _ownerId: '\uD800' }],
    ['At most 2,048 characters', { url: `https://hooks.example.com/${'x'.repeat(2048)}` }],
    ['without user info', { url: 'https://user@hooks.example.com' }],
    ['or fragment', { url: 'https://hooks.example.com#a' }],
    ['DELIVERY_ALLOWED_PORTS', { url: 'https://hooks.example.com:444' }],
    ['A name must not be host, content-length', { customHeaders: { Host: 'a' } }],
    ['or proxy-…', { customHeaders: { 'Proxy-Authorization': 'a' } }],
    ['No two names may be equal in any case', { customHeaders: { 'X-A': 'a', 'x-a': 'b' } }],
    [
      'No custom header may have the same name',
      { auth: authentications.custom_header, customHeaders: { 'x-partner-secret': '' } },
    ],
    ['8192 bytes', { customHeaders: { 'X-A': 'a'.repeat(8192) } }],
    ['nested at most 32 deep', { more: nested(40) }],
  ])('says what it can not express: %s', (rule, overrides) => {
    const written = aConfiguration(overrides);
    expect([configurationProblems(written), isAccepted(written)]).toEqual([[], false]);
    expect(JSON.stringify(asyncApiDocument().components.schemas.WebhookConfiguration)).toContain(rule);
  });

  it('takes sealed parts, and no other text', () => {
    const sealed = 'eyJhbGciOiJkaXIifQ..AAAA.BBBB.CCCC';
    expect(configurationProblems(aConfiguration({ auth: sealed, customHeaders: sealed }))).toEqual([]);
    expect(configurationProblems(aConfiguration({ auth: 'open sesame' }))).not.toEqual([]);
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}
