import type { Socket } from 'node:net';

/**
 * A server may send `100 Continue` to whoever did not ask for it, and a client must bear it (RFC 9110, 15.2; RFC 2616 had
 * servers do so to every POST). undici gives up the connection instead, after the endpoint has taken the delivery. So
 * what undici reads from this socket no longer has it in front. All other interim responses it skips by itself.
 */
export function dropContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!(chunk instanceof Buffer)) return chunk;
      const rest = withoutContinue(chunk);
      if (rest.length > 0) return rest;
    }
  };
}

const continued = Buffer.from('HTTP/1.1 100');
const endOfHead = Buffer.from('\r\n\r\n');

/** Servers write these few bytes at once, so that they stand at the beginning of a chunk and in one piece. */
function withoutContinue(chunk: Buffer): Buffer {
  if (!chunk.subarray(0, continued.length).equals(continued)) return chunk;
  const end = chunk.indexOf(endOfHead);
  return end === -1 ? chunk : withoutContinue(chunk.subarray(end + endOfHead.length));
}
