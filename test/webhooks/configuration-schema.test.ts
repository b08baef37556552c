import { assert as assertProperty, jsonValue, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptanceKey } from '../../src/kafka/reader/newest-versions.ts';
import { createConfigurationParser, type ParsedConfiguration } from '../../src/webhooks/configuration-schema.ts';
import { aConfiguration, authentications, type Document } from '../support/builders.ts';

const parse = createConfigurationParser({ isAllowedPort: (port) => port === 443 || port === 8443, mostInFlight: 16 });

const id = '665f1f77bcf86cd799439011';

function parseWith(overrides: Document): ParsedConfiguration {
  return parse(id, JSON.parse(JSON.stringify(aConfiguration(overrides))));
}

function problemsOf(parsed: ParsedConfiguration): readonly string[] {
  return parsed.kind === 'refused' ? parsed.problems : [];
}

function urlOf(parsed: ParsedConfiguration): string | undefined {
  return parsed.kind === 'accepted' ? parsed.configuration.endpoint.url.href : undefined;
}

const noEvents = 'events: must be a non-empty list of certificate_completed, certificate_expired';

describe('a configuration', () => {
  it('is accepted with all fields', () => {
    const parsed = parseWith({
      enabled: true,
      paused: true,
      events: ['certificate_expired'],
      security: { allowedIps: ['203.0.113.7'] },
      unknown: 1,
    });
    expect(parsed).toMatchObject({
      kind: 'accepted',
      configuration: {
        ownerId: '665f1f77bcf86cd799439000',
        enabled: true,
        paused: true,
        events: ['certificate_expired'],
        endpoint: {
          url: new URL('https://hooks.example.com/certificates'),
          authentication: authentications.bearer_token,
          customHeaders: { 'X-Environment': 'production' },
        },
      },
    });
  });

  it('is enabled, not paused, without authentication and for both events by default', () => {
    const parsed = parse(id, { _id: id, _ownerId: 'owner', url: 'https://hooks.example.com' });
    expect(parsed).toMatchObject({
      kind: 'accepted',
      configuration: {
        enabled: true,
        paused: false,
        events: ['certificate_completed', 'certificate_expired'],
        endpoint: { authentication: { authType: 'none' }, customHeaders: {} },
      },
    });
  });

  it.each([{}, { inFlight: 1 }, { inFlight: 16 }, { perMinute: 60_000 }, { inFlight: 4, perMinute: 600, unknown: 1 }])(
    'has its own limits: %j',
    (limits) => {
      const { unknown: _, ...known }: { readonly unknown?: number } = limits;
      const parsed = parseWith({ limits });
      expect(parsed.kind === 'accepted' && parsed.configuration.limits).toEqual(known);
    },
  );

  it.each<readonly [unknown, readonly string[]]>([
    [4, ['limits: must be an object with inFlight, perMinute or both']],
    [null, ['limits: must be an object with inFlight, perMinute or both']],
    [{ inFlight: 0, perMinute: 0 }, ['limits.inFlight: must be at least 1', 'limits.perMinute: must be at least 1']],
    [
      { inFlight: 1.5, perMinute: '600' },
      ['limits.inFlight: must be a whole number', 'limits.perMinute: must be a whole number'],
    ],
    [{ perMinute: 60_001 }, ['limits.perMinute: must be at most 60000']],
    [{ inFlight: 17 }, ['limits.inFlight: must be at most 16, which is DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT']],
  ])('is refused with the limits %j', (limits, problems) => {
    expect(problemsOf(parseWith({ limits }))).toEqual(problems);
  });

  it.each<readonly [string, Document]>([
    ['_id: must be the key that the configuration stands under', { _id: 'another' }],
    ['_id: must be a non-empty string', { _id: undefined }],
    ['_id: must be a non-empty string', { _id: 665 }],
    ['_ownerId: must be a non-empty string', { _ownerId: undefined }],
    ['_ownerId: must be a non-empty string', { _ownerId: '' }],
    ['_id: must be at most 1,024 bytes of UTF-8', { _id: 'é'.repeat(513) }],
    ['_id: must be well-formed Unicode, without half a surrogate pair', { _id: '\uD800' }],
    ['_ownerId: must be at most 1,024 bytes of UTF-8', { _ownerId: 'x'.repeat(1025) }],
    ['_ownerId: must be well-formed Unicode, without half a surrogate pair', { _ownerId: 'o\uDFFF' }],
    ['enabled: must be true or false', { enabled: 'false' }],
    ['enabled: must be true or false', { enabled: null }],
    ['paused: must be true or false', { paused: 0 }],
    [noEvents, { events: [] }],
    [noEvents, { events: ['certificate_lost'] }],
    [noEvents, { events: 'certificate_completed' }],
    ['url: must be a string', { url: undefined }],
    ['customHeaders: must be an object of strings', { customHeaders: null }],
    ['customHeaders: must be an object of strings', { customHeaders: ['X-A'] }],
  ])('is refused with "%s" for %j', (problem, overrides) => {
    expect(problemsOf(parseWith(overrides))).toEqual([problem]);
  });

  it.each([null, 'text', 7, true, [aConfiguration()], undefined])(
    'is refused when it is not an object: %j',
    (document) => {
      expect(problemsOf(parse(id, document))).toEqual(['must be an object']);
    },
  );

  it('is refused under a key of the records of the service', () => {
    const problem = '_id: must not begin with certificate-webhooks., which is reserved';
    expect(problemsOf(parse(acceptanceKey, aConfiguration({ _id: acceptanceKey })))).toEqual([problem]);
  });

  it('is refused with every reason at once', () => {
    const problems = problemsOf(
      parseWith({
        _id: 'another',
        _ownerId: 7,
        url: 'http://me:secret@hooks.example.com:22/#there',
        enabled: 1,
        paused: 1,
        events: [],
        auth: { authType: 'bearer_token', token: 'tök' },
        customHeaders: { authorization: 'é', Host: 'h', 'not a token': 1 },
      }),
    );
    expect(problems).toEqual([
      '_ownerId: must be a non-empty string',
      'url: must be an absolute https: URL',
      'url: must not carry user info',
      'url: must not carry a fragment',
      'url: must point at an allowed port',
      'enabled: must be true or false',
      'paused: must be true or false',
      noEvents,
      'auth.token: must be printable ASCII',
      '_id: must be the key that the configuration stands under',
      'customHeaders.authorization: the value must be printable ASCII',
      'customHeaders.Host: the name must not be a header that frames the request or belongs to the connection',
      'customHeaders, entry 3: the name must be an RFC 9110 token',
      'customHeaders, entry 3: the value must be a string',
      "customHeaders.authorization: the name, in any case, must not be another header's too",
    ]);
  });

  it('is refused for parts that are still sealed, together with all other problems', () => {
    const sealed = { auth: 'eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVydGV4dA.dGFn', customHeaders: '', enabled: 1 };
    expect(problemsOf(parseWith(sealed))).toEqual([
      'auth: is sealed, and there is no WEBHOOK_KEYS_FILE',
      'customHeaders: is sealed, and there is no WEBHOOK_KEYS_FILE',
      'enabled: must be true or false',
    ]);
  });

  it('is refused for parts that could not be opened, together with all other problems', () => {
    const document = aConfiguration({ auth: 'a.b.c.d.e', customHeaders: { Host: 'h' } });
    const closed = { auth: { problem: 'is sealed for another _id' }, customHeaders: { problem: 'must be sealed' } };
    expect(problemsOf(parse(id, document, closed))).toEqual([
      'auth: is sealed for another _id',
      'customHeaders: must be sealed',
      'customHeaders.Host: the name must not be a header that frames the request or belongs to the connection',
    ]);
  });

  it('keeps its owner, its events and its enabled flag when it is refused', () => {
    const refused = parseWith({ url: 'nonsense', events: ['certificate_expired'], enabled: false });
    expect(refused).toMatchObject({
      claim: { ownerId: '665f1f77bcf86cd799439000', enabled: false, events: ['certificate_expired'] },
    });
  });

  it('claims all events when it is refused and its fields are unreadable', () => {
    expect(parse(id, { _ownerId: 7, enabled: 'no', events: ['?'] })).toMatchObject({
      claim: { ownerId: undefined, enabled: true, events: ['certificate_completed', 'certificate_expired'] },
    });
  });

  it.each(['k'.repeat(1025), 'k\uD800'])('claims no records under a key that is no id', (key) => {
    expect(parse(key, aConfiguration({ _id: key }))).toMatchObject({ kind: 'refused', claim: { ownerId: undefined } });
  });

  it.each(['o'.repeat(1025), 'o\uD800'])('claims no records with an owner that is no id', (_ownerId) => {
    expect(parseWith({ _ownerId })).toMatchObject({ kind: 'refused', claim: { ownerId: undefined } });
  });

  it('is parsed without throwing, whatever it holds', () => {
    const field = oneof(jsonValue(), record({ authType: jsonValue(), token: jsonValue(), headerName: jsonValue() }));
    const document = record({ _id: field, url: field, events: field, auth: field, customHeaders: field });
    assertProperty(
      property(oneof(document, jsonValue()), (value) => {
        expect(parse(id, value).kind).toBe('refused');
      }),
    );
  });
});

describe('the url of a configuration', () => {
  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['HTTPS://Hooks.EXAMPLE.com:443/a/../b?c=ä', 'https://hooks.example.com/b?c=%C3%A4'],
    ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
    [' https://bücher.example/ ', 'https://xn--bcher-kva.example/'],
    ['https://0x7f.1/', 'https://127.0.0.1/'],
    ['https://[::1]/', 'https://[::1]/'],
  ])('%s is read as %s', (url, href) => {
    expect(urlOf(parseWith({ url }))).toBe(href);
  });

  it.each([
    ['hooks.example.com/path', 'must be an absolute https: URL'],
    ['/path', 'must be an absolute https: URL'],
    ['https://', 'must be an absolute https: URL'],
    ['', 'must be an absolute https: URL'],
    ['http://hooks.example.com/', 'must be an absolute https: URL'],
    ['https://user@hooks.example.com/', 'must not carry user info'],
    ['https://:secret@hooks.example.com/', 'must not carry user info'],
    ['https://hooks.example.com/#fragment', 'must not carry a fragment'],
    ['https://hooks.example.com/#', 'must not carry a fragment'],
    ['https://hooks.example.com:22/', 'must point at an allowed port'],
  ])('%s is refused: %s', (url, problem) => {
    expect(problemsOf(parseWith({ url }))).toEqual([`url: ${problem}`]);
  });

  it('has 2,048 characters at most, as it is sent', () => {
    const urls = ['a'.repeat(2048 - 18), 'a'.repeat(2048 - 17), 'ä'.repeat(400)].map(
      (path) => `https://h.example/${path}`,
    );
    const problems = urls.map((url) => problemsOf(parseWith({ url })));
    const tooLong = ['url: must not exceed 2048 characters'];
    expect(problems).toEqual([[], tooLong, tooLong]);
  });
});
