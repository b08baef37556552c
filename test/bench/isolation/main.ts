/**
 * `npm run bench:isolation [-- --small]` measures the cost of failing endpoints for all others. The full scale writes
 * `docs/performance.md`.
 *
 * This process shares processors with the broker, which a long garbage collection here would delay. Hence npm starts it
 * with a small semi-space and one V8 thread, and its child processes inherit both.
 */
import { join } from 'node:path';
import { root } from '../../support/files/sources.ts';
import { readConditions } from '../conditions.ts';
import { reserveMeasuredCpu } from '../pinned-process.ts';
import { figuresOf } from './figures.ts';
import { runRounds } from './rounds.ts';
import { full, small } from './scale.ts';
import { sectionOf } from './section.ts';
import { writeFigures, writePage } from './write-page.ts';

const isSmall = process.argv.includes('--small');
reserveMeasuredCpu();
const { date, cores, node } = readConditions();
const figures = figuresOf(await runRounds(isSmall ? small : full, print), { date, cores, node });
print(sectionOf(figures));
if (!isSmall) {
  const docs = join(root, 'docs');
  await writeFigures(figures, docs);
  await writePage(docs);
}
// Kafka clients with open sockets would keep the process alive.
process.exit();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
