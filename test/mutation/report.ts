import { readText } from '../support/files/sources.ts';
import { mutatedFolders } from './coverage.ts';
import type { JudgedMutant, Verdict } from './judge-mutant.ts';

const verdicts: readonly Verdict[] = ['killed', 'timed out', 'survived', 'not covered'];

/** Returns the percentage of mutants that tests notice. */
export function scoreOf(judged: readonly JudgedMutant[]): number {
  const noticed = judged.filter(({ verdict }) => verdict === 'killed' || verdict === 'timed out');
  return judged.length === 0 ? 100 : (100 * noticed.length) / judged.length;
}

/** Returns the survivors, then a table of the folders. */
export function reportOf(judged: readonly JudgedMutant[]): string {
  const folders = mutatedFolders.map((folder) => ({
    name: folder.replace(/\/$/, ''),
    judged: judged.filter(({ mutant }) => mutant.path.startsWith(folder)),
  }));
  const rows = [...folders, { name: 'all', judged }].map((folder) => [folder.name].concat(countsOf(folder.judged)));
  const table = [['folder', 'mutants', ...verdicts, 'score'], ...rows];
  const unnoticed = judged.filter(({ verdict }) => verdict === 'survived' || verdict === 'not covered');
  return [...unnoticed.map(lineOf).toSorted(), '', ...table.map((row) => row.map(padded).join(''))].join('\n');
}

function countsOf(judged: readonly JudgedMutant[]): readonly string[] {
  const counts = verdicts.map((verdict) => judged.filter((one) => one.verdict === verdict).length);
  return [judged.length, ...counts, `${scoreOf(judged).toFixed(1)} %`].map(String);
}

function padded(cell: string, column: number): string {
  return column === 0 ? cell.padEnd(22) : cell.padStart(12);
}

function lineOf({ mutant, verdict }: JudgedMutant): string {
  const replaced = readText(mutant.path).slice(mutant.start, mutant.end);
  return `${mutant.path}:${mutant.line} ${verdict}: ${inOneLine(replaced)} → ${inOneLine(mutant.text) || 'nothing'}`;
}

function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 87)}…` : line;
}
