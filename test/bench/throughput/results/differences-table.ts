import { row } from '../../row.ts';
import { nameAt } from '../compare/with-revision.ts';
import type { Result } from '../rounds.ts';
import type { Quantity, Sample } from '../sample.ts';
import { columns, headOf } from './columns.ts';
import { differenceOf, type Difference } from './difference.ts';

const quantities: ReadonlySet<Quantity> = new Set(['cpu', 'perSecond', 'p50', 'p99']);
const compared = columns.filter(({ quantity }) => quantities.has(quantity));

/** Returns Markdown that compares the service with its other revision. */
export function describeDifferences(results: readonly Result[], ref: string): string {
  const caution = 'Expect one false difference in about thirty rows.';
  return [
    `## Compared with ${ref}`,
    `The ratio of the medians, and the verdict at p < 0.05. ${caution}`,
    ...results.map((result) => describeScenario(result, ref)),
  ].join('\n\n');
}

function describeScenario({ scenario, samples }: Result, ref: string): string {
  const rows = [...samples].flatMap(([name, these]) => {
    const those = samples.get(nameAt(name, ref)) ?? [];
    return compared.flatMap((column) => {
      const { quantity } = column;
      const difference = differenceOf({ these: valuesOf(these, quantity), those: valuesOf(those, quantity) });
      if (difference === undefined) return [];
      return [row([name, headOf(column), difference.ratio.toFixed(3), textOf(difference)])];
    });
  });
  return [`### ${scenario.title}`, '', row(['', '', 'ratio', '']), row(['---', '---', '---:', '---']), ...rows].join(
    '\n',
  );
}

function textOf({ p, verdict }: Difference): string {
  const text = verdict === 'difference' ? '**differs**' : verdict;
  return `${text}, p = ${p.toFixed(3)}`;
}

function valuesOf(samples: readonly Sample[], quantity: Quantity): readonly number[] {
  return samples.flatMap((sample) => sample[quantity] ?? []);
}
