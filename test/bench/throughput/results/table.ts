import type { Result } from '../rounds.ts';
import { columns } from './columns.ts';
import { isMet, reachedOf, spreadOf } from './figures.ts';
import { row } from './row.ts';

/** Markdown: of each scenario the medians with the lowest and the highest, and what became of its targets. */
export function describe(results: readonly Result[]): string {
  return results.map(describeOne).join('\n\n');
}

function describeOne(result: Result): string {
  const { scenario, samples } = result;
  const measured = columns.filter(({ quantity }) => [...samples.values()].some((runs) => spreadOf(runs, quantity)));
  const rows = [...samples].map(([name, runs]) =>
    row([name, ...measured.map(({ quantity, digits }) => text(spreadOf(runs, quantity), digits))]),
  );
  const targets = reachedOf(result).map((reached) => {
    const { what, atMost } = reached.target;
    return row([what, String(atMost), reached.value.toFixed(3), isMet(reached) ? 'met' : '**not met**']);
  });
  return [
    `### ${scenario.title}`,
    '',
    row(['', ...measured.map(({ title }) => title)]),
    row(['---', ...measured.map(() => '---:')]),
    ...rows,
    ...(targets.length === 0 ? [] : ['', row(['Target', 'at most', 'is', '']), row(['---', '---:', '---:', '---'])]),
    ...targets,
  ].join('\n');
}

function text(spread: ReturnType<typeof spreadOf>, digits: number): string {
  if (spread === undefined) return '';
  const [median, least, most] = [spread.median, spread.least, spread.most].map((one) => one.toFixed(digits));
  return `${median} (${least} … ${most})`;
}
