import type { Result } from '../rounds.ts';
import type { Quantity, Sample } from '../sample.ts';
import { nameAt } from '../compare/with-revision.ts';
import { columns } from './columns.ts';
import { differenceOf, type Difference } from './difference.ts';
import { row } from './row.ts';

const quantities: ReadonlySet<Quantity> = new Set(['cpu', 'perSecond', 'p50', 'p99']);
const compared = columns.filter(({ quantity }) => quantities.has(quantity));

/** Markdown: what the service of this state comes to, over that of another one. */
export function describeDifferences(results: readonly Result[], ref: string): string {
  const caution = 'Of thirty rows in which nothing differs, about one says that something does.';
  return [
    `## Over ${ref}`,
    `The ratio of the medians, and whether it can be told from noise (p < 0.05). ${caution}`,
    ...results.map((result) => describeOne(result, ref)),
  ].join('\n\n');
}

function describeOne({ scenario, samples }: Result, ref: string): string {
  const rows = [...samples].flatMap(([name, these]) => {
    const those = samples.get(nameAt(name, ref)) ?? [];
    return compared.flatMap(({ quantity, title }) => {
      const difference = differenceOf({ these: valuesOf(these, quantity), those: valuesOf(those, quantity) });
      return difference === undefined ? [] : [row([name, title, difference.ratio.toFixed(3), inWords(difference)])];
    });
  });
  return [`### ${scenario.title}`, '', row(['', '', 'ratio', '']), row(['---', '---', '---:', '---']), ...rows].join(
    '\n',
  );
}

function inWords({ p, verdict }: Difference): string {
  const words = { difference: '**differs**', noise: 'noise', 'too few runs': 'too few runs to tell' }[verdict];
  return `${words}, p = ${p.toFixed(3)}`;
}

function valuesOf(samples: readonly Sample[], quantity: Quantity): readonly number[] {
  return samples.flatMap((sample) => sample[quantity] ?? []);
}
