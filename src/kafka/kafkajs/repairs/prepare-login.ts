import type { SaslAuthenticator } from '../internals.ts';

/**
 * Lets a mechanism prepare before its login begins.
 *
 * kafkajs begins the login with a handshake, and asks a mechanism for its token after that. Without a token the handshake
 * stays open, and the broker answers the next one on that connection with `ILLEGAL_SASL_STATE`. That hid the reason.
 */
export function prepareLogin(authenticator: SaslAuthenticator): void {
  const { authenticate } = authenticator;
  authenticator.authenticate = async function prepareFirst(this: SaslAuthenticator) {
    const { sasl } = this.connection;
    if ('prepare' in sasl) await sasl.prepare();
    await authenticate.call(this);
  };
}
