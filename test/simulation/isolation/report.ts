import type { Figures, GroupFigures } from './figures.ts';
import type { ComparedFigures } from './scenarios/scenario.ts';

/** Describes the figures of a scenario as a table, with and without its trouble. */
export function describeFigures(name: string, { without, trouble }: ComparedFigures): string {
  const rows = Object.keys(trouble.groups).flatMap((group) => [
    rowOf(group, 'without', without.groups[group]),
    rowOf('', 'trouble', trouble.groups[group]),
  ]);
  return [
    '',
    name,
    headings,
    ...rows,
    describeProcess('without', without),
    describeProcess('trouble', trouble),
    '',
  ].join('\n');
}

const columns = [
  '',
  '',
  'expected',
  'delivered',
  'a second',
  'p50 ms',
  'p99 ms',
  'max ms',
  '2xx p99',
  'in a tier',
  'writes',
];
const headings = lineOf(columns);

function rowOf(group: string, run: string, figures: GroupFigures | undefined): string {
  if (figures === undefined || figures.expected === 0) return lineOf([group, run, '-']);
  const { expected, delivered, perSecond, queueing, latencyP99, throughTier, maxWrites } = figures;
  const times = [perSecond, queueing.p50, queueing.p99, queueing.max, latencyP99].map((value) =>
    Number.isNaN(value) ? '-' : value.toFixed(2),
  );
  return lineOf([group, run, expected, delivered, ...times, throughTier, maxWrites]);
}

function lineOf(cells: readonly (string | number)[]): string {
  const [group = '', run = '', ...numbers] = cells;
  return `  ${String(group).padEnd(36)}${String(run).padEnd(9)}${numbers.map((cell) => String(cell).padStart(11)).join('')}`;
}

function describeProcess(run: string, figures: Figures): string {
  const { maxStartedInTurn, maxDeferredInTurn, maxUnsettled, longestTurnMs, utilization, heapGrowthBytes } = figures;
  const heap = heapGrowthBytes === 0 ? '' : `, ${Math.round(heapGrowthBytes / 1024 ** 2)} MB of heap`;
  return (
    `  ${run}: at most ${maxStartedInTurn} starts and ${maxDeferredInTurn} deferrals a turn, ${maxUnsettled} unsettled, ` +
    `longest turn ${longestTurnMs.toFixed(1)} ms, ${Math.round(utilization * 100)} % busy${heap}`
  );
}
