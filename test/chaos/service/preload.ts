/**
 * Loaded before the service. SIGUSR2 blocks the event loop for `CHAOS_STALL_MS`, as a long computation would. The parent gets
 * the time at which that begins, in epoch milliseconds. The process also exits when its parent process ends for any reason.
 */
const stallMs = Number(process.env['CHAOS_STALL_MS']);
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

process.on('SIGUSR2', () => {
  process.send?.(Date.now());
  Atomics.wait(never, 0, 0, stallMs);
});
process.on('disconnect', () => process.exit(1));
// Without this, the channel would keep the process alive after its normal end.
process.channel?.unref();
