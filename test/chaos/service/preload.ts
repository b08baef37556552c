/**
 * Loaded in front of the service. SIGUSR2 stops its event loop for `CHAOS_STALL_MS`, as a long computation would; and it
 * ends with the process that started it, however that one ended.
 */
const stallMs = Number(process.env['CHAOS_STALL_MS']);
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

process.on('SIGUSR2', () => void Atomics.wait(never, 0, 0, stallMs));
process.on('disconnect', () => process.exit(1));
// Listening alone would keep the process, which is to end as it always does.
process.channel?.unref();
