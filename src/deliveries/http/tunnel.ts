import { request, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { CodedError } from './request-error.ts';
import { authorityOf, type Target } from './target.ts';

interface TunnelOptions {
  readonly target: Target;
  /** Of the proxy. */
  readonly authorization: string | undefined;
}

/**
 * Asks the proxy at the other end of the socket for a tunnel. Resolves once the socket leads to the target. Rejects when
 * the proxy does not want to or can't, and when the socket is destroyed meanwhile; whoever calls closes the socket.
 */
export async function openTunnel(socket: Duplex, { target, authorization }: TunnelOptions): Promise<void> {
  const answer = Promise.withResolvers<void>();
  const authority = authorityOf(target);
  const asking = request({
    method: 'CONNECT',
    path: authority,
    headers: { Host: authority, ...(authorization === undefined ? {} : { 'Proxy-Authorization': authorization }) },
    createConnection: () => socket,
    maxHeaderSize: maxHeadBytes,
  });
  asking.once('connect', (response: IncomingMessage, _socket: Duplex, early: Buffer) => {
    const refusal = refusalOf(response, authorization, early);
    if (refusal === undefined) answer.resolve();
    else answer.reject(refusal);
  });
  asking.on('error', (error) => answer.reject(error));
  asking.end();
  await answer.promise;
}

const maxHeadBytes = 16 * 1024;

function refusalOf(
  { statusCode = 0, headers }: IncomingMessage,
  authorization: string | undefined,
  early: Buffer,
): CodedError | undefined {
  // Only a proxy that wants credentials names a scheme for them; some say 407 of a host that they refuse.
  if (statusCode === 407 && headers['proxy-authenticate'] !== undefined) {
    return new CodedError(authorization === undefined ? 'PROXY_WANTS_CREDENTIALS' : 'PROXY_REFUSES_CREDENTIALS');
  }
  if (statusCode < 200 || statusCode > 299) return new CodedError(`HTTP_${statusCode}`);
  // In TLS the client speaks first: these bytes are nobody's.
  return early.length === 0 ? undefined : new CodedError('PROXY_SPEAKS_FIRST');
}
