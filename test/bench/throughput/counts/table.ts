import { row } from '../../table.ts';
import type { CountedSystem } from './run-counted.ts';

/** Returns a Markdown table with a row for each system. */
export function describeCounts(systems: readonly CountedSystem[]): string {
  const columns = [...new Set(systems.flatMap(({ counts }) => Object.keys(counts)))];
  return [
    row(['per delivery, or per second when idle', ...columns]),
    row(['---', ...columns.map(() => '---:')]),
    ...systems.map(({ scenario, system, counts }) =>
      row([`${scenario}, ${system}`, ...columns.map((column) => textOf(counts[column]))]),
    ),
  ].join('\n');
}

function textOf(count: number | undefined): string {
  if (count === undefined) return '';
  return count >= 100 ? count.toFixed(0) : count.toFixed(3);
}
