import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './support/files/sources.ts';

/**
 * Runs vitest with the arguments of the command line. Prints at the end how long that took, and the processor time of all
 * its processes: a check that is dear is not run.
 */
const startedAt = performance.now();
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const run = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
// A terminal interrupts both processes. The tests clean up first.
process.on('SIGINT', () => undefined);
run.on('exit', (code) => {
  process.stdout.write(`\nTook ${inWords((performance.now() - startedAt) / 1000)}${processorTime()}.\n`);
  process.exitCode = code ?? 1;
});

/** Returns the time that ended child processes and their own children used. Only Linux tells it. */
function processorTime(): string {
  const file = '/proc/self/stat';
  if (!existsSync(file)) return '';
  // The second field is a name in parentheses. See proc_pid_stat(5): fields 16 and 17, in hundredths of a second.
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [user = 0, system = 0] = fields.slice(13, 15).map((ticks) => Number(ticks) / 100);
  return `, and ${inWords(user + system)} of processor time`;
}

/** Returns a number of seconds as `2 min 5 s`. */
function inWords(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
