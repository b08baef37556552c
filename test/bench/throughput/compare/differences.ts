import { row, table } from '../../table.ts';
import { columns, headOf } from '../results/columns.ts';
import { quantitySpread } from '../results/figures.ts';
import type { Result } from '../rounds.ts';
import type { Quantity } from '../sample.ts';
import { nameAt } from './with-revision.ts';

const quantities: ReadonlySet<Quantity> = new Set(['cpu', 'perSecond', 'p50', 'p99']);
const compared = columns.filter(({ quantity }) => quantities.has(quantity));

/** Returns Markdown that compares the service with its other revision: they differ if no two of their runs overlap. */
export function describeDifferences(results: readonly Result[], ref: string): string {
  const rows = results.flatMap(({ scenario, samples }) =>
    [...samples].flatMap(([name, these]) =>
      compared.flatMap((column) => {
        const { quantity } = column;
        const [here, there] = [these, samples.get(nameAt(name, ref)) ?? []].map((runs) =>
          quantitySpread(runs, quantity),
        );
        if (here === undefined || there === undefined) return [];
        const differs = here.lowest > there.highest || here.highest < there.lowest;
        const ratio = (here.median / there.median).toFixed(3);
        return [row([`${scenario.title}, ${name}: ${headOf(column)}`, ratio, differs ? '**differs**' : 'noise'])];
      }),
    ),
  );
  return table([`Compared with ${ref}`, 'ratio of the medians', 'verdict'], rows);
}
