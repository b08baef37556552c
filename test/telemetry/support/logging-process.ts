import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createLogger } from '../../../src/telemetry/logger/logger.ts';

/**
 * Writes as many lines as the first argument says, of some 1,000 bytes each, in one turn of the event loop. The second
 * one says what comes then: with `exit` it exits at once; with `stay` it tells its parent and exits when all is written;
 * otherwise it is the file that standard output goes to, and once all is there the parent is told in how many writes.
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
for (let line = 0; line < Number(count); line += 1) logger.info({ event: 'test.told', line, filler: 'x'.repeat(900) });
if (then === 'exit') process.exit(3);
if (then !== 'stay') {
  while (fs.readFileSync(then, 'utf8').split('\n').length <= Number(count)) await setImmediate();
}
process.send?.(writes, () => process.disconnect());
