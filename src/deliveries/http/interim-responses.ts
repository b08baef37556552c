import type { Socket } from 'node:net';

/**
 * Removes `100 Continue` from the data that undici reads from the socket.
 *
 * A server may send it to a client that did not ask for it (RFC 9110, 15.2), as RFC 2616 demanded for every POST. The
 * client `undici` closes the connection instead, after the endpoint has taken the delivery. It skips all other interim
 * responses itself.
 */
export function dropContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!(chunk instanceof Buffer)) return chunk;
      const remaining = withoutContinue(chunk);
      if (remaining.length > 0) return remaining;
    }
  };
}

const continued = Buffer.from('HTTP/1.1 100');
const endOfHead = Buffer.from('\r\n\r\n');

/** Looks at the beginning of a chunk only, because servers write these few bytes at once. */
function withoutContinue(chunk: Buffer): Buffer {
  if (!chunk.subarray(0, continued.length).equals(continued)) return chunk;
  const end = chunk.indexOf(endOfHead);
  return end === -1 ? chunk : withoutContinue(chunk.subarray(end + endOfHead.length));
}
