import type { Authentication } from './webhook.ts';

/**
 * The header that authenticates a delivery, named as the contract writes it. It lives with the webhooks, because a
 * configuration is refused when this header clashes with a custom one or the two of them are too large.
 */
export function authenticationHeader(
  authentication: Authentication,
): readonly [name: string, value: string] | undefined {
  switch (authentication.authType) {
    case 'none':
      return undefined;
    case 'bearer_token':
      return ['Authorization', `Bearer ${authentication.token}`];
    case 'basic_auth':
      return ['Authorization', `Basic ${basicCredentials(authentication.username, authentication.password)}`];
    case 'api_key':
      return ['X-API-Key', authentication.token];
    case 'custom_header':
      return [authentication.headerName, authentication.headerValue];
  }
}

/** RFC 7617 leaves the character encoding open; UTF-8 is the one it has a name for. */
function basicCredentials(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
}
