import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { readText, root } from '../support/files/sources.ts';
import { coverageOf, mutatedFolders } from './coverage.ts';
import { checkCanaries } from './canaries.ts';
import { judgeMutant, type JudgedMutant } from './judge-mutant.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { reportOf, scoreOf } from './report.ts';
import { sampleOf } from './sample.ts';
import { WarmVitest } from './warm-vitest.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    min: { type: 'string', default: '0' },
    // One more than there are cores, because some tests wait.
    workers: { type: 'string', default: String(availableParallelism() + 1) },
  },
});

function emit(line: string): void {
  process.stderr.write(`${line}\n`);
}

let hasFailed = false;

/** Reports a fault of an untouched run. The score then says less. */
function failed(line: string): void {
  hasFailed = true;
  emit(line);
}

function chosenMutants(): readonly Mutant[] {
  const paths = globSync(
    mutatedFolders.map((folder) => `${folder}**/*.ts`),
    { cwd: root },
  ).toSorted();
  const unknown = positionals.filter((path) => !paths.includes(path));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} is not measured`);
  const chosen = positionals.length > 0 ? positionals : paths;
  const mutants = chosen.flatMap((path) => mutantsOf(path, readText(path)));
  return values.all || positionals.length > 0 ? mutants : sampleOf(mutants, Number(values.count), Number(values.seed));
}

async function judgeAll(
  mutants: readonly Mutant[],
  vitests: readonly [WarmVitest, ...WarmVitest[]],
): Promise<readonly JudgedMutant[]> {
  const coverage = await coverageOf([...new Set(mutants.map(({ path }) => path))], vitests, { emit, failed });
  const left = mutants.values();
  const judged: JudgedMutant[] = [];
  const work = async (vitest: WarmVitest): Promise<void> => {
    await checkCanaries(vitest);
    for (const mutant of left) {
      const one = await judgeMutant(mutant, coverage, vitest);
      judged.push(one);
      emit(`${judged.length} of ${mutants.length}: ${mutant.path}:${mutant.line} ${mutant.operator} ${one.verdict}`);
    }
  };
  await Promise.all(vitests.map((vitest) => work(vitest)));
  return judged;
}

async function measure(): Promise<void> {
  const mutants = chosenMutants();
  await using stack = new AsyncDisposableStack();
  const start = async (): Promise<WarmVitest> => stack.use(await WarmVitest.start());
  const vitests: [WarmVitest, ...WarmVitest[]] = [await start()];
  while (vitests.length < Number(values.workers)) vitests.push(await start());
  const judged = await judgeAll(mutants, vitests);
  process.stdout.write(`${reportOf(judged)}\nseed ${values.seed}\n`);
  process.exitCode = hasFailed || scoreOf(judged) < Number(values.min) ? 1 : 0;
}

await measure();
