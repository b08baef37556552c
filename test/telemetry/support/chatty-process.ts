import { createLogger } from '../../../src/telemetry/logger.ts';

/**
 * Writes as many lines as the first argument says, of some 1,000 bytes each, and exits at once, or, if the second says
 * `stay`, tells its parent and then exits when all is written.
 */
const [count, then] = process.argv.slice(2);
const logger = createLogger({ level: 'info', version: '1.2.3' });
for (let line = 0; line < Number(count); line += 1) logger.info({ event: 'test.told', line, filler: 'x'.repeat(900) });
if (then === 'stay') process.send?.('written', () => process.disconnect());
else process.exit(3);
