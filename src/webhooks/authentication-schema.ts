import { z } from 'zod';
import { headerNameProblem, printableAscii } from './header-rules.ts';
import type { Authentication } from './webhook.ts';

const nonEmpty = 'must be a non-empty string';

const credential = z
  .string({ error: nonEmpty })
  .min(1, { error: nonEmpty })
  .regex(printableAscii, { error: 'must be printable ASCII' });

/** Refuses `\p{Cs}`, half a surrogate pair. UTF-8 can't carry it, so a different password would be sent. */
const password = z
  .string({ error: 'must be a string' })
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: 'must not hold control characters or broken surrogate pairs' });

/** A username without a colon, because the first colon ends the username (RFC 7617). */
const username = password.min(1, { error: nonEmpty }).regex(/^[^:]*$/, { error: "must not hold a ':'" });

const headerName = z
  .string({ error: nonEmpty })
  .min(1, { error: nonEmpty })
  .superRefine((name, context) => {
    const problem = name === '' ? undefined : headerNameProblem(name);
    if (problem !== undefined) context.addIssue(problem);
  });

/** Accepts an `auth` object whose credentials can be sent in headers. */
export const authenticationSchema = authenticationMethods({ credential, username, password, headerName });

const anyText = z.string().catch('');
const lenientSchema = authenticationMethods({
  credential: anyText,
  username: anyText,
  password: anyText,
  headerName: anyText,
});

/**
 * Reads an `auth` with invalid fields as empty text. A custom header that clashes with it is then reported together with
 * the problems of the `auth` itself.
 */
export function lenientAuthentication(auth: unknown): Authentication {
  return lenientSchema.safeParse(auth).data ?? { authType: 'none' };
}

type Text = z.ZodType<string>;

/** The five methods of the contract. Fields that a method does not have are ignored. */
function authenticationMethods(rules: {
  readonly credential: Text;
  readonly username: Text;
  readonly password: Text;
  readonly headerName: Text;
}): z.ZodType<Authentication> {
  return z.discriminatedUnion(
    'authType',
    [
      z.object({ authType: z.literal('none') }),
      z.object({ authType: z.literal('bearer_token'), token: rules.credential }),
      z.object({ authType: z.literal('basic_auth'), username: rules.username, password: rules.password }),
      z.object({ authType: z.literal('api_key'), token: rules.credential }),
      z.object({
        authType: z.literal('custom_header'),
        headerName: rules.headerName,
        headerValue: rules.credential,
      }),
    ],
    { error: methodProblem },
  );
}

function methodProblem({ code }: { readonly code?: string | undefined }): string {
  return code === 'invalid_union'
    ? 'must be none, bearer_token, basic_auth, api_key or custom_header'
    : 'must be an object with an authType';
}
