import { assert as assertProperty, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authenticationHeader, type Authentication } from '../../src/webhooks/webhook.ts';

describe('the authentication header', () => {
  it.each<readonly [Authentication, readonly [string, string] | undefined]>([
    [{ authType: 'none' }, undefined],
    [{ authType: 'bearer_token', token: 'abc.def' }, ['Authorization', 'Bearer abc.def']],
    // The example of RFC 7617, section 2.
    [
      { authType: 'basic_auth', username: 'Aladdin', password: 'open sesame' },
      ['Authorization', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    ],
    // And of its section 2.1, in UTF-8.
    [{ authType: 'basic_auth', username: 'test', password: '123£' }, ['Authorization', 'Basic dGVzdDoxMjPCow==']],
    [{ authType: 'basic_auth', username: 'only', password: '' }, ['Authorization', 'Basic b25seTo=']],
    [{ authType: 'api_key', token: 'k-1' }, ['X-API-Key', 'k-1']],
    [{ authType: 'custom_header', headerName: 'x-MINE', headerValue: 'v 1' }, ['x-MINE', 'v 1']],
  ])('of %j is %j', (authentication, header) => {
    expect(authenticationHeader(authentication)).toEqual(header);
  });

  it('lets a receiver of Basic decode the configured username and password', () => {
    const wellFormed = string({ unit: 'grapheme' });
    assertProperty(
      property(wellFormed, wellFormed, (text, password) => {
        const username = text.replaceAll(':', '');
        const [, value = ''] = authenticationHeader({ authType: 'basic_auth', username, password }) ?? [];
        const decoded = Buffer.from(value.replace(/^Basic /, ''), 'base64').toString('utf8');
        const colon = decoded.indexOf(':');
        expect([decoded.slice(0, colon), decoded.slice(colon + 1)]).toEqual([username, password]);
      }),
    );
  });
});
