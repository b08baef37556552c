const rounds = 3;
/** The least that a control counts, in microseconds. The system counts a thread's time in steps of some milliseconds. */
const leastMicros = 5000;

/**
 * Returns how many times as much processor time one call takes as another one, in the same seconds. The least of some rounds
 * counts, of this thread alone: neither other processes nor a single pause for garbage lengthen it.
 */
export function costAgainst(control: () => void, act: () => void): number {
  const [least, most] = [control, act].map((call) =>
    Math.min(...Array.from({ length: rounds }, () => processorMicros(call))),
  );
  return (most ?? Number.NaN) / Math.max(leastMicros, least ?? Number.NaN);
}

function processorMicros(call: () => void): number {
  const before = process.threadCpuUsage();
  call();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
