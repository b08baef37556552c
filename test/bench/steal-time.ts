import { existsSync, readFileSync } from 'node:fs';

const path = '/proc/stat';

/** Ticks of all processors together since the machine started. */
interface Ticks {
  readonly steal: number;
  readonly all: number;
}

/**
 * Starts to watch the steal time. The returned function reports its share of all processors' time since then, from 0 to 1.
 * This is `steal` of `proc_stat(5)`; it is 0 where the system does not report it.
 */
export function watchStealTime(read: () => string = readStat): () => number {
  const before = ticksIn(read());
  return () => {
    const now = ticksIn(read());
    return now.all === before.all ? 0 : (now.steal - before.steal) / (now.all - before.all);
  };
}

function readStat(): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Reads user, nice, system, idle, iowait, irq, softirq and steal. Later columns are already part of user and nice. */
function ticksIn(stat: string): Ticks {
  const [firstRow = ''] = stat.split('\n');
  const ticks = firstRow.split(/ +/).slice(1, 9).map(Number);
  return { steal: ticks[7] ?? 0, all: ticks.reduce((sum, each) => sum + each, 0) };
}
