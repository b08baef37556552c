import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Random } from '../simulation/random.ts';
import { readSources, readText } from '../support/files/sources.ts';
import { coverageOf, mutatedFolders } from './coverage.ts';
import { checkCanaries } from './canaries.ts';
import { judgeMutant, type JudgedMutant, type Verdict } from './judge-mutant.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
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
  const paths = mutatedFolders.flatMap((folder) => readSources(folder).map(({ path }) => path)).toSorted();
  const unknown = positionals.filter((path) => !paths.includes(path));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} is not measured`);
  const chosen = positionals.length > 0 ? positionals : paths;
  const mutants = chosen.flatMap((path) => mutantsOf(path, readText(path)));
  if (values.all || positionals.length > 0) return mutants;
  // The same seed draws the same ones.
  const random = new Random(Number(values.seed));
  const drawn = mutants.map((mutant) => ({ mutant, lot: random.next() }));
  const sorted = drawn.toSorted((one, other) => one.lot - other.lot).slice(0, Number(values.count));
  return sorted.map(({ mutant }) => mutant);
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
      emit(`${judged.length} of ${mutants.length}: ${mutant.path}:${mutant.line} ${one.verdict}`);
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

/** Returns the percentage of mutants that tests notice. */
function scoreOf(judged: readonly JudgedMutant[]): number {
  const noticed = judged.filter(({ verdict }) => verdict === 'killed' || verdict === 'timed out');
  return judged.length === 0 ? 100 : (100 * noticed.length) / judged.length;
}

/** Returns the survivors, then a table of the folders. */
function reportOf(judged: readonly JudgedMutant[]): string {
  const verdicts: readonly Verdict[] = ['killed', 'timed out', 'survived', 'not covered'];
  const rows = [...mutatedFolders, 'src/'].map((folder) => {
    const own = judged.filter(({ mutant }) => mutant.path.startsWith(folder));
    const counts = verdicts.map((verdict) => own.filter((one) => one.verdict === verdict).length);
    const cells = [own.length].concat(counts).map(String);
    return [folder].concat(cells, `${scoreOf(own).toFixed(1)} %`);
  });
  const table = [['folder', 'mutants', ...verdicts, 'score']]
    .concat(rows)
    .map(([name = '', ...cells]) => name.padEnd(22) + cells.map((cell) => cell.padStart(12)).join(''));
  const unnoticed = judged.filter(({ verdict }) => verdict === 'survived' || verdict === 'not covered');
  return [...unnoticed.map(lineOf).toSorted(), '', ...table].join('\n');
}

function lineOf({ mutant, verdict }: JudgedMutant): string {
  const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 90);
  const replaced = inOneLine(readText(mutant.path).slice(mutant.start, mutant.end));
  return `${mutant.path}:${mutant.line} ${verdict}: ${replaced} → ${inOneLine(mutant.text) || 'nothing'}`;
}

await measure();
