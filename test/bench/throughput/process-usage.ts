import { readdirSync, readFileSync } from 'node:fs';

/** Resources that a process has used, as Linux reports them in proc_pid_stat(5), proc_pid_status(5) and sched-stats. */
export interface Usage {
  /** CPU time of all threads. */
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly peakMemoryMiB: number;
}

export function usageOf({ pid }: { readonly pid: number }): Usage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [residentKiB, peakKiB] = [/^VmRSS:\s*(\d+)/m, /^VmHWM:\s*(\d+)/m].map((row) => Number(row.exec(status)?.[1]));
  return {
    cpuSeconds: cpuSecondsOf(pid),
    residentMiB: (residentKiB ?? Number.NaN) / 1024,
    peakMemoryMiB: (peakKiB ?? Number.NaN) / 1024,
  };
}

/** Reads the scheduler's count, which is in nanoseconds. The usual one is in hundredths of a second. */
function cpuSecondsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => Number(/^\d+/.exec(read(`/proc/${pid}/task/${thread}/schedstat`))?.[0]));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The thread has ended since it was listed.
    return '0';
  }
}
