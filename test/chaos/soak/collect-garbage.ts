/**
 * Loaded before the service, with `--expose-gc`. At SIGUSR2 it collects all garbage, and then writes a log line with the
 * memory in MiB.
 */
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const memory = { heapMiB: heapUsed / 2 ** 20, rssMiB: rss / 2 ** 20 };
  process.stdout.write(`${JSON.stringify({ event: 'memory.measured', ...memory })}\n`);
});
