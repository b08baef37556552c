import { request, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { CodedError } from './request-error.ts';
import { authorityOf, type Target } from './target.ts';

interface TunnelOptions {
  readonly target: Target;
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

/**
 * Asks the proxy at the other end of the socket for a tunnel. Resolves once the socket leads to the target.
 * Rejects when the proxy refuses or fails, or when the socket is destroyed. The caller closes the socket.
 */
export async function openTunnel(socket: Duplex, { target, authorization }: TunnelOptions): Promise<void> {
  const answer = Promise.withResolvers<void>();
  const authority = authorityOf(target);
  const connectRequest = request({
    method: 'CONNECT',
    path: authority,
    headers: { Host: authority, ...(authorization === undefined ? {} : { 'Proxy-Authorization': authorization }) },
    createConnection: () => socket,
    maxHeaderSize: maxHeadBytes,
  });
  connectRequest.once('connect', (response: IncomingMessage, _socket: Duplex, extraBytes: Buffer) => {
    const refusal = refusalOf(response, authorization, extraBytes);
    if (refusal === undefined) answer.resolve();
    else answer.reject(refusal);
  });
  connectRequest.on('error', (error) => answer.reject(error));
  connectRequest.end();
  await answer.promise;
}

/** The limit of the proxy's response head. */
const maxHeadBytes = 16 * 1024;

function refusalOf(
  { statusCode = 0, headers }: IncomingMessage,
  authorization: string | undefined,
  extraBytes: Buffer,
): CodedError | undefined {
  // A proxy that wants credentials names a scheme for them. Without a scheme, 407 means that it refuses the host.
  if (statusCode === 407 && headers['proxy-authenticate'] !== undefined) {
    return new CodedError(authorization === undefined ? 'PROXY_WANTS_CREDENTIALS' : 'PROXY_REFUSES_CREDENTIALS');
  }
  if (statusCode < 200 || statusCode > 299) return new CodedError(`HTTP_${statusCode}`);
  // In TLS the client sends first, so these bytes are not from the endpoint.
  return extraBytes.length === 0 ? undefined : new CodedError('PROXY_SPEAKS_FIRST');
}
