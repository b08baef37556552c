/**
 * `npm run test:exhaustive [-- --depth N]` runs the service through each way in which a small world can deviate from the usual one
 * up to N times (2 by default), in two processes. Prints the scope, counts, and what violates an invariant. Ends with 1 then.
 *
 * `--mutants` tells which known bugs show with that many deviations.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { mutants } from '../mutants/mutants.ts';
import { describeScope } from './choices.ts';
import { describeCounterexample, explore } from './explore.ts';
import { worldText } from './world.ts';

/** The counts of one share, as its process sends them. */
interface Share {
  readonly runs: number;
  readonly points: number;
  readonly histories: readonly string[];
  readonly counterexamples: readonly string[];
}

const shares = 2;
const { values: options } = parseArgs({
  options: {
    depth: { type: 'string', default: '2' },
    mutants: { type: 'boolean', default: false },
    /** The number of the share that a process explores. */
    share: { type: 'string' },
  },
});
const depth = Number(options.depth);
if (options.share !== undefined) await sendShare(Number(options.share));
else if (options.mutants) await tellMutants();
else await exploreShares();

async function sendShare(share: number): Promise<void> {
  const { histories, counterexamples, ...counts } = await explore({ depth, share, shares });
  process.send?.({
    ...counts,
    histories: [...histories],
    counterexamples: counterexamples.map(describeCounterexample),
  });
}

async function exploreShares(): Promise<void> {
  print(`${worldText}\n\n${describeScope()}\n`);
  const all = await Promise.all(
    Array.from({ length: shares }, async (_, share): Promise<Share> => {
      const child = fork(import.meta.filename, ['--depth', String(depth), '--share', String(share)]);
      const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
      if (typeof message !== 'object') throw new Error(`A process ended with ${message}.`);
      return message as Share;
    }),
  );
  const sum = (count: (share: Share) => number): number => all.reduce((total, share) => total + count(share), 0);
  const histories = new Set(all.flatMap((share) => share.histories));
  const counterexamples = all.flatMap((share) => share.counterexamples);
  const extent = counterexamples.length === 0 ? 'The scope is exhausted' : 'Ended early';
  const counts = `${sum(({ runs }) => runs)} runs, ${sum(({ points }) => points)} points, ${histories.size} different histories`;
  print(`${extent}, with at most ${depth} deviations: ${counts}.`);
  for (const text of counterexamples) print(`\n${text}`);
  process.exitCode = counterexamples.length === 0 ? 0 : 1;
}

async function tellMutants(): Promise<void> {
  for (const mutant of mutants) {
    const { runs, counterexamples } = await explore({ depth, mutant });
    const found = counterexamples[0]?.violations[0]?.invariant;
    print(`${found === undefined ? 'not found' : `found as ${found}`} in ${runs} runs: ${mutant.name}`);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
