import type { AuthenticationProviderArgs, Mechanism } from 'kafkajs';
import type { Tokens } from '../client/kafka.ts';
import type { PreparedMechanism } from './internals.ts';
import { oneLine } from '../../lib/printable.ts';

/** Thrown after a broker refused the token. The message holds what the broker says about it, and never the token. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';
  /** Read by kafkajs. Our own code tries again, with pauses. */
  readonly retriable = false;
}

/**
 * Creates the SASL mechanism OAUTHBEARER (RFC 7628) for kafkajs.
 *
 * The mechanism of kafkajs ignores the answer of the broker. A refused client goes on as if it were accepted, its next
 * request ends the connection, and nothing says why. It also takes a lost connection for a refusal.
 */
export function oauthBearer(tokens: Tokens): Mechanism & PreparedMechanism {
  return {
    mechanism: 'oauthbearer',
    prepare: () => tokens.token(),
    authenticationProvider: (connection) => ({ authenticate: async () => authenticate(connection, tokens) }),
  };
}

async function authenticate(
  { saslAuthenticate }: Pick<AuthenticationProviderArgs, 'saslAuthenticate'>,
  tokens: Tokens,
): Promise<void> {
  const token = await tokens.token();
  const login = `${header}${separator}auth=Bearer ${token.reveal()}${separator}${separator}`;
  const challenge = await saslAuthenticate({ request: message(login), response: textAnswer });
  if (challenge === undefined || challenge === '') return;
  tokens.refused(token);
  const refusal = `SASL OAUTHBEARER authentication failed: the broker refuses the token: ${oneLine(challenge)}`;
  try {
    await saslAuthenticate({ request: message(endOfExchange), response: textAnswer });
  } catch (cause) {
    throw new TokenRefusedError(refusal, { cause });
  }
  throw new TokenRefusedError(refusal);
}

/** Stands for "no channel binding" and "no other identity" (RFC 7628, section 3.1). */
const header = 'n,,';
const separator = '\u0001';
/** Tells the broker that the refusal was read. It then fails the authentication (RFC 7628, section 3.2.3). */
const endOfExchange = separator;

/** Kafka's `BYTES`: the length in 32 bits, and the content. */
function message(text: string): { readonly encode: () => Buffer } {
  const content = Buffer.from(text, 'ascii');
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length);
  return { encode: () => Buffer.concat([length, content]) };
}

/** Reads the same form. An accepted token is answered with no content. */
const textAnswer = {
  decode: (answer: Buffer): Buffer => answer.subarray(4),
  parse: (content: Buffer): string => content.toString('utf8'),
};
