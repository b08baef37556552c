import { validateHeaderName, validateHeaderValue } from 'node:http';
import { assert as assertProperty, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerNameProblem, printableAscii } from '../../src/webhooks/header-rules.ts';

function nodeAccepts(validate: () => void): boolean {
  try {
    validate();
    return true;
  } catch {
    return false;
  }
}

const refusedNames = [
  'Host Content-Length Content-Type Content-Encoding Transfer-Encoding Connection Keep-Alive TE Trailer Upgrade Expect',
  'HTTP2-Settings Proxy-Authorization Proxy-Connection Proxy-Whatever',
].flatMap((names) => names.split(' '));

describe('the name of a header', () => {
  it.each(refusedNames)('is refused when it is %s, in any case', (name) => {
    const answers = [name, name.toLowerCase(), name.toUpperCase()].map(headerNameProblem);
    expect(answers).toEqual(Array(3).fill('must not be a header that frames the request or belongs to the connection'));
  });

  it.each(['', ' ', 'X Y', 'X:', 'X-\u00c4', 'X\r\nY', 'X\0', '"X"', 'X/Y', '(X)', 'X-Y\n'])(
    'is refused when it is not a token: %j',
    (name) => {
      expect(headerNameProblem(name)).toBe('must be an RFC 9110 token');
    },
  );

  it.each(['X-Environment', 'authorization', 'Accept', 'Hosts', 'X-Host', 'Proxy', "!#$%&'*+-.^_`|~09", '__proto__'])(
    'is accepted when it is %s',
    (name) => {
      expect(headerNameProblem(name)).toBeUndefined();
    },
  );

  it('is never one that Node refuses', () => {
    assertProperty(
      property(oneof(string(), string({ unit: 'binary' })), (name) => {
        expect(headerNameProblem(name) !== undefined || nodeAccepts(() => validateHeaderName(name))).toBe(true);
      }),
    );
  });
});

describe('the value of a header', () => {
  it.each(['', ' ', 'a b', '~!@', '\x20\x7e'])('may be printable ASCII: %j', (value) => {
    expect(printableAscii.test(value)).toBe(true);
  });

  it.each(['\t', '\r', 'a\n', '\0', '\x1f', '\x7f', '\u0080', 'é', '€', '😀'])('is nothing else: %j', (value) => {
    expect(printableAscii.test(value)).toBe(false);
  });

  it('is never one that Node refuses', () => {
    assertProperty(
      property(oneof(string(), string({ unit: 'binary' })), (value) => {
        expect(!printableAscii.test(value) || nodeAccepts(() => validateHeaderValue('X-Any', value))).toBe(true);
      }),
    );
  });
});
