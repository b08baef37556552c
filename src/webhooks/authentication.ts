import type { Authentication } from './webhook.ts';

/**
 * Returns the header that authenticates a delivery, named as the contract writes it. Belongs to the webhooks, because a
 * configuration is refused when this header clashes with a custom one, or when all headers together are too large.
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

/** Encodes in UTF-8. RFC 7617 leaves the encoding open, and UTF-8 is the only one that it names. */
function basicCredentials(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
}
