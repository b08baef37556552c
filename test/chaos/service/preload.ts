import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Loaded before the service. SIGUSR2 blocks the event loop for `CHAOS_STALL_MS`, as a long computation would. The parent gets
 * the time at which that begins, in epoch milliseconds. A message with ports makes the open connections to them silent, as a NAT
 * that has forgotten them does: nothing passes, neither side is told, and new ones work. The process also exits when its parent process ends for any reason.
 */
const stallMs = Number(process.env['CHAOS_STALL_MS']);
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

process.on('SIGUSR2', () => {
  process.send?.(Date.now());
  Atomics.wait(never, 0, 0, stallMs);
});
const sockets = new Set<Socket>();
subscribe('net.client.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});
process.on('message', (ports: readonly number[]) => {
  for (const socket of sockets) {
    if (!ports.includes(socket.remotePort ?? 0)) continue;
    socket.pause();
    socket.write = () => true;
  }
});
process.on('disconnect', () => process.exit(1));
// Without this, the channel would keep the process alive after its normal end.
process.channel?.unref();
