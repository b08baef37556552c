import { pbkdf2 } from 'node:crypto';
import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createLogger } from '../../../src/telemetry/logger/logger.ts';

/**
 * Logs a number of lines, of about 1,000 bytes each, in one turn of the event loop. The first argument is the number, the
 * second one decides about the end:
 *
 * - `exit`: exits at once.
 * - `busy`: exits after a flush, while no thread is free for a write.
 * - `stay`: sends a message to its parent, and exits when all lines are written.
 * - another text: the file that standard output goes to. Once it has all lines, sends the number of writes to its parent.
 */
const [count, then = ''] = process.argv.slice(2);
let writes = 0;
const { write } = fs;
fs.write = new Proxy(write, {
  apply: (target, self, parameters) => {
    writes += 1;
    return Reflect.apply(target, self, parameters);
  },
});
const logger = createLogger({ level: 'info', version: '1.2.3' });
for (let line = 0; line < Number(count); line += 1)
  logger.info({ event: 'test.logged', line, filler: 'x'.repeat(900) });
if (then === 'exit') process.exit(3);
if (then === 'busy') {
  // Node has four threads.
  for (let thread = 0; thread < 4; thread += 1) pbkdf2('password', 'salt', 300_000, 64, 'sha512', () => undefined);
  logger.flush();
  logger.info({ event: 'test.logged', line: Number(count) });
  logger.flush(() => process.exit(3));
} else if (then !== 'stay') {
  while (fs.readFileSync(then, 'utf8').split('\n').length <= Number(count)) await setImmediate();
}
if (then !== 'busy') process.send?.(writes, () => process.disconnect());
