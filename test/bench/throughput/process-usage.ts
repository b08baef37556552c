import { readdirSync, readFileSync } from 'node:fs';

/** What processes have used so far, as Linux tells it (proc_pid_stat(5), proc_pid_status(5), sched-stats). */
export interface Usage {
  /** Of all their threads. */
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly peakMemoryMiB: number;
}

export function usageOf({ pids }: { readonly pids: readonly number[] }): Usage {
  const usages = pids.map(usageOfOne);
  const sum = (part: keyof Usage): number => usages.reduce((all, usage) => all + usage[part], 0);
  return { cpuSeconds: sum('cpuSeconds'), residentMiB: sum('residentMiB'), peakMemoryMiB: sum('peakMemoryMiB') };
}

function usageOfOne(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [residentKiB, peakKiB] = [/^VmRSS:\s*(\d+)/m, /^VmHWM:\s*(\d+)/m].map((line) => Number(line.exec(status)?.[1]));
  return {
    cpuSeconds: cpuSecondsOf(pid),
    residentMiB: (residentKiB ?? Number.NaN) / 1024,
    peakMemoryMiB: (peakKiB ?? Number.NaN) / 1024,
  };
}

/** By the scheduler's own count in nanoseconds: the usual one is in hundredths of a second. */
function cpuSecondsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => Number(/^\d+/.exec(read(`/proc/${pid}/task/${thread}/schedstat`))?.[0]));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // A thread that has just ended.
    return '0';
  }
}
