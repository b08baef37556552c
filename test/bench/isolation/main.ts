/**
 * `npm run bench:isolation [-- --small]`: what endpoints in trouble cost the others. The full scale writes the page.
 *
 * It shares processors with the broker, and collecting garbage for long would hold that up, and with it what is measured. So npm
 * starts it with little space for new objects and one thread for collections; the processes that it forks have the same.
 */
import { cpus } from 'node:os';
import { join } from 'node:path';
import { root } from '../../support/files/sources.ts';
import { writeSection } from '../../support/pages/write-section.ts';
import { makeRoom } from '../pinned-process.ts';
import { runRounds } from './rounds.ts';
import { full, small } from './scale.ts';
import { describe } from './section.ts';

const isSmall = process.argv.includes('--small');
makeRoom();
const scale = isSmall ? small : full;
const text = describe(await runRounds(scale, say));
say(text);
if (!isSmall) await writePage(join(root, 'docs', 'performance.md'));
// What is left of Kafka's clients would keep the process.
process.exit();

async function writePage(path: string): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const where = `Measured on ${today} with ${cpus().length} cores for everything, the broker included; Node ${process.versions.node}.`;
  const how = `The median of ${scale.rounds} rounds, with the lowest and the highest; ratios are with the trouble over without it.`;
  await writeSection(path, { name: 'isolation', text: `${where} ${how}\n\n${text}` });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
