import type { Duplex } from 'node:stream';
import { CodedError } from './request-error.ts';
import { parseHead } from './response/response-head.ts';
import { UnfinishedHead } from './response/unfinished-head.ts';
import { authorityOf, type Target } from './target.ts';

interface TunnelOptions {
  readonly target: Target;
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

/**
 * Asks the proxy at the other end of the socket for a tunnel. Resolves once the socket leads to the target. Rejects when the
 * proxy refuses or fails, or when the socket is destroyed. The caller closes the socket.
 */
export async function openTunnel(socket: Duplex, { target, authorization }: TunnelOptions): Promise<void> {
  const authority = authorityOf(target);
  const credentials = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`);
  const { status, text } = await readAnswer(socket);
  // A proxy that wants credentials names a scheme for them. Without a scheme, 407 means that it refuses the host.
  if (status === 407 && /\nproxy-authenticate *:/i.test(text)) {
    throw new CodedError(authorization === undefined ? 'PROXY_WANTS_CREDENTIALS' : 'PROXY_REFUSES_CREDENTIALS');
  }
  if (status < 200 || status > 299) throw new CodedError(`HTTP_${status}`);
}

/** The limit of what the proxy may send before its answer is whole. */
const maxAnswerBytes = 16 * 1024;

interface ProxyAnswer {
  readonly status: number;
  readonly text: string;
}

/** Resolves to the head of the proxy's answer, behind interim ones. Rejects if the proxy sends anything else. */
async function readAnswer(socket: Duplex): Promise<ProxyAnswer> {
  const answer = Promise.withResolvers<ProxyAnswer>();
  const unfinished = new UnfinishedHead();
  let bytes = 0;
  const read = (): void => {
    for (let chunk: unknown = socket.read(); chunk instanceof Buffer; chunk = socket.read()) {
      bytes += chunk.length;
      unfinished.append(chunk);
      const found = bytes > maxAnswerBytes ? new CodedError('TOO_MANY_BYTES') : takeAnswer(unfinished);
      if (found instanceof CodedError) answer.reject(found);
      else if (found !== undefined) answer.resolve(found);
    }
  };
  const fail = (error: unknown): void => answer.reject(error);
  const end = (): void => answer.reject(new CodedError('PROXY_CLOSED'));
  socket.on('readable', read).on('error', fail).on('end', end).on('close', end);
  try {
    return await answer.promise;
  } finally {
    socket.off('readable', read).off('error', fail).off('end', end).off('close', end);
  }
}

function takeAnswer(unfinished: UnfinishedHead): ProxyAnswer | CodedError | undefined {
  if (!unfinished.mayBeResponse) return new CodedError('NO_STATUS_LINE');
  const text = unfinished.head();
  if (text === undefined) return undefined;
  unfinished.drop(text.length);
  const head = parseHead(text);
  if (head.kind === 'refused') return new CodedError(head.fault);
  if (head.status < 200) return takeAnswer(unfinished);
  // In TLS the client sends first, so bytes behind the answer are not from the endpoint.
  const isFollowed = head.status < 300 && unfinished.bytes.length > 0;
  return isFollowed ? new CodedError('PROXY_SPEAKS_FIRST') : { status: head.status, text };
}
