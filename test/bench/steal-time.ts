import { existsSync, readFileSync } from 'node:fs';

const path = '/proc/stat';

/** Ticks of all processors together, since the start of the machine. */
interface Ticks {
  readonly stolen: number;
  readonly all: number;
}

/**
 * Tells what part of the processors' time the host of this machine has taken since this call, from 0 to 1: `steal` in
 * `proc_stat(5)`. It is 0 where the system does not say.
 */
export function watchStolenTime(read: () => string = readStat): () => number {
  const before = ticksIn(read());
  return () => {
    const now = ticksIn(read());
    return now.all === before.all ? 0 : (now.stolen - before.stolen) / (now.all - before.all);
  };
}

function readStat(): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** User, nice, system, idle, iowait, irq, softirq and steal; what comes after is part of user and nice. */
function ticksIn(stat: string): Ticks {
  const [line = ''] = stat.split('\n');
  const ticks = line.split(/ +/).slice(1, 9).map(Number);
  return { stolen: ticks[7] ?? 0, all: ticks.reduce((sum, each) => sum + each, 0) };
}
