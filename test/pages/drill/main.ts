/**
 * `npm run drill [-- --seed N | --incident NAME]` makes six incidents, one after the other, and prints what the person on call sees
 * of each: an alert, or the words of a ticket. That person runs the commands of the pages in a shell of its own until the
 * incident is over. The drill prints how long that took. `--list` prints the names of all incidents.
 */
import { parseArgs } from 'node:util';
import { randomInt } from 'node:crypto';
import { listenForInterrupts, untilAborted } from '../../demo/interrupts.ts';
import { print, step } from '../../demo/print.ts';
import { startIncident } from '../support/incident.ts';
import { openDesk } from './desk.ts';
import { draw, faults, type Fault } from './faults.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, incident: { type: 'string' }, list: { type: 'boolean', default: false } },
});
const seed = values.seed ?? String(randomInt(10_000));
const names = values.incident === undefined ? draw(Number(seed)) : [values.incident];
const signal = listenForInterrupts();

if (values.list) print(...Object.keys(faults));
else
  await drill().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
// Open connections of Kafka clients would keep the process running.
process.exit(0);

async function drill(): Promise<void> {
  if (values.incident === undefined) print(`The seed is ${seed}.`);
  print(
    'Each incident has a shell, in which the first block of docs/operations.md is already pasted. Its folder holds README.md,',
    "docs, values.yaml, helm and last night's backup, webhooks.jsonl. There, `npx node src/main.ts` runs as in a checkout with",
    'the settings of the service. `solved` ends an incident once it is over, and `give-up` at once.',
  );
  const ends: string[] = [];
  for (const [index, name] of names.entries()) {
    const fault = faults[name];
    if (fault === undefined) throw new Error(`There is no incident "${name}": see --list.`);
    print('', `Incident ${index + 1} of ${names.length}`);
    ends.push(`${await play(name, fault)}: ${name}`);
  }
  print('', ...ends);
}

/** Resolves to how it ended, and after how many minutes. */
async function play(name: string, fault: Fault): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const incident = stack.use(await step('a platform', startIncident, () => 'a platform that works'));
  const desk = await openDesk(incident, stack);
  const isOver = await step(
    'an incident',
    () => fault.make(incident, stack),
    () => 'an incident',
  );
  const startedAt = Date.now();
  print('', `  ${fault.ticket ?? `${fault.entry} is firing.`}`, '', `  The shell: ${desk.shell}`);
  const how = await untilAborted(signal, desk.over(isOver));
  const ended = `${how} after ${((Date.now() - startedAt) / 60_000).toFixed(1)} minutes`;
  print(`  ${ended}. It was: ${name}. The entry: ${fault.entry}`);
  return ended;
}
