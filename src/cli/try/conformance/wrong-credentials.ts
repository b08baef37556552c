import type { Authentication } from '../../../webhooks/webhook.ts';

/**
 * Returns credentials that differ from the right one in their last character, in a missing one and in a further one. The last
 * two find receivers that compare beginnings.
 */
export function wrongCredentials(right: Authentication): readonly Authentication[] {
  switch (right.authType) {
    case 'none':
      return [];
    case 'bearer_token':
    case 'api_key': {
      const { authType } = right;
      return nearly(right.token).map((token) => ({ authType, token }));
    }
    case 'basic_auth': {
      const { authType, username } = right;
      return nearly(right.password).map((password) => ({ authType, username, password }));
    }
    case 'custom_header': {
      const { authType, headerName } = right;
      return nearly(right.headerValue).map((headerValue) => ({ authType, headerName, headerValue }));
    }
  }
}

/** Leaves out texts that differ in spaces at an end alone, because those do not count in a header. */
function nearly(right: string): readonly string[] {
  const shorter = right.slice(0, -1);
  const texts = [`${shorter}${right.endsWith('x') ? 'y' : 'x'}`, shorter, `${right}x`];
  return texts.filter((text) => text !== '' && text.trim() !== right.trim());
}
