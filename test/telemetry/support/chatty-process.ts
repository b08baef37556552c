import { stat } from 'node:fs/promises';
import { createLogger } from '../../../src/telemetry/logger.ts';

/**
 * Writes as many lines as the first argument says, of some 1,000 bytes each. The second one says what comes then: with
 * `exit` it exits at once; with `stay` it tells its parent and exits when all is written; with `work` it has something
 * else to do after every hundred lines, and exits then.
 */
const [count, then] = process.argv.slice(2);
const logger = createLogger({ level: 'info', version: '1.2.3' });
for (let line = 0; line < Number(count); line += 1) {
  logger.info({ event: 'test.told', line, filler: 'x'.repeat(900) });
  if (then === 'work' && line % 100 === 0) await stat(import.meta.filename);
}
if (then === 'stay') process.send?.('written', () => process.disconnect());
else process.exit(3);
