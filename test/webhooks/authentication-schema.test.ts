import { validateHeaderName, validateHeaderValue } from 'node:http';
import { assert as assertProperty, constantFrom, dictionary, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authenticationHeader, type Authentication } from '../../src/webhooks/webhook.ts';
import { authenticationSchema } from '../../src/webhooks/configuration-schema.ts';
import { authentications } from '../support/builders.ts';

function problemsOf(auth: unknown): readonly string[] {
  const issues = authenticationSchema.safeParse(auth).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const nonEmpty = 'must be a non-empty string';
const ascii = 'must be printable ASCII';
const broken = 'must not hold control characters or broken surrogate pairs';

describe('an auth object', () => {
  it.each(Object.values(authentications))('is accepted with the fields of its method: $authType', (authentication) => {
    expect(authenticationSchema.parse({ ...authentication, note: 'ignored' })).toEqual(authentication);
  });

  it.each<readonly [unknown, readonly string[]]>([
    [{ authType: 'bearer_token' }, [`token: ${nonEmpty}`]],
    [{ authType: 'bearer_token', token: 7 }, [`token: ${nonEmpty}`]],
    [{ authType: 'bearer_token', token: '' }, [`token: ${nonEmpty}`]],
    [{ authType: 'bearer_token', token: 'a\nb' }, [`token: ${ascii}`]],
    [{ authType: 'bearer_token', token: 'é' }, [`token: ${ascii}`]],
    [{ authType: 'api_key' }, [`token: ${nonEmpty}`]],
    [{ authType: 'api_key', token: '\x7f' }, [`token: ${ascii}`]],
    [{ authType: 'basic_auth' }, [`username: ${nonEmpty.replace('non-empty ', '')}`, 'password: must be a string']],
    [{ authType: 'basic_auth', username: '', password: 'p' }, [`username: ${nonEmpty}`]],
    [{ authType: 'basic_auth', username: 'a:b', password: 'p' }, ["username: must not hold a ':'"]],
    [{ authType: 'basic_auth', username: 'a\tb', password: '\u0085' }, [`username: ${broken}`, `password: ${broken}`]],
    [{ authType: 'basic_auth', username: 'a', password: '\ud800' }, [`password: ${broken}`]],
    [{ authType: 'custom_header' }, [`headerName: ${nonEmpty}`, `headerValue: ${nonEmpty}`]],
    [
      { authType: 'custom_header', headerName: '', headerValue: '' },
      [`headerName: ${nonEmpty}`, `headerValue: ${nonEmpty}`],
    ],
    [{ authType: 'custom_header', headerName: 'X Y', headerValue: 'v' }, ['headerName: must be an RFC 9110 token']],
    [
      { authType: 'custom_header', headerName: 'proxy-authorization', headerValue: 'v' },
      ['headerName: must not be a header that frames the request or belongs to the connection'],
    ],
    [{ authType: 'custom_header', headerName: 'X-Y', headerValue: 'ü' }, [`headerValue: ${ascii}`]],
    [{}, ['authType: must be none, bearer_token, basic_auth, api_key or custom_header']],
    [{ authType: 'Bearer' }, ['authType: must be none, bearer_token, basic_auth, api_key or custom_header']],
    [null, [': must be an object with an authType']],
    [[], [': must be an object with an authType']],
  ])('%j is refused with %j', (auth, problems) => {
    expect(problemsOf(auth)).toEqual(problems);
  });

  it('accepts a password that is empty or has colons, in any language', () => {
    const basic = { authType: 'basic_auth', username: 'größe', password: '' };
    expect([problemsOf(basic), problemsOf({ ...basic, password: 'a:b:日本😀' })]).toEqual([[], []]);
  });

  it('never makes a header that Node refuses', () => {
    const method = constantFrom<Authentication['authType']>('bearer_token', 'basic_auth', 'api_key', 'custom_header');
    const text = string({ unit: 'binary' });
    const fields = dictionary(constantFrom('token', 'username', 'password', 'headerName', 'headerValue'), text, {
      minKeys: 5,
    });
    assertProperty(
      property(method, fields, (authType, values) => {
        const { data } = authenticationSchema.safeParse({ ...values, authType });
        const [name, value] = (data && authenticationHeader(data)) ?? ['X-None', ''];
        expect(() => validateHeaderName(name)).not.toThrow();
        expect(() => validateHeaderValue(name, value)).not.toThrow();
      }),
    );
  });
});
