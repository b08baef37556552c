import type { Quantity } from '../sample.ts';
import { names, references, type ScenarioKind } from '../scenarios/scenario.ts';
import { columns, isMet, type Figures, type ScenarioFigures, type SystemFigures } from './figures.ts';

/** Returns the section of the page in Markdown: medians of what a user needs, and a link to all figures. */
export function sectionOf({ conditions, scenarios }: Figures): string {
  const { date, processor, cores, memoryGib, node, kafka } = conditions;
  const where = `on ${processor} (${cores} cores, ${memoryGib} GiB), which the broker and the receiver share`;
  const rounds = Math.max(...scenarios.map((scenario) => scenario.rounds));
  const how = `Medians of ${rounds} rounds, or of one round where a scenario takes long`;
  const intro = `Measured on ${date} with Node.js ${node} and ${kafka} ${where}. ${how}. [All figures, with their ranges](performance/throughput.json).`;
  return `${intro}\n\n${tablesOf(scenarios)}`;
}

/** Returns the tables of the scenarios in Markdown. */
export function tablesOf(scenarios: readonly ScenarioFigures[]): string {
  const ofKind = (kind: ScenarioKind): readonly ScenarioFigures[] => scenarios.filter((one) => one.kind === kind);
  return [
    limitedTable(ofKind('limited')),
    variationTable(ofKind('variation')),
    situationTable(ofKind('situation')),
    targetTable(scenarios),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function targetTable(scenarios: readonly ScenarioFigures[]): string {
  const rows = scenarios.flatMap(({ title, targets }) =>
    targets.map((target) => {
      const { what, atMost, value } = target;
      const verdict = isMet(target) ? '' : ', **not met**';
      return row([`${title}: ${what}`, String(atMost), `${value?.toFixed(3) ?? 'not measured'}${verdict}`]);
    }),
  );
  return table(['Target', 'at most', 'measured'], rows);
}

function limitedTable(scenarios: readonly ScenarioFigures[]): string {
  const rows = scenarios.flatMap((scenario) => {
    const limit = scenario.systems
      .filter(({ isLimit }) => isLimit)
      .reduce((sum, { quantities }) => sum + (quantities.cpu?.median ?? Number.NaN), 0);
    return scenario.systems
      .filter(({ isLimit }) => !isLimit)
      .map((system) =>
        row([
          labelOf(scenario, system),
          medianText(system, 'perSecond', 0),
          medianText(system, 'cpu', 2),
          ratioText(system.quantities.cpu?.median, limit),
          medianText(system, 'peakMemoryMiB', 0),
        ]),
      );
  });
  const head = ['Backlog', 'deliveries per second', 'CPU s per 10,000', 'relative to the limit', 'peak memory, MiB'];
  return table(head, rows);
}

/** Compares the last system of each scenario, which has the largest variation, with the first. */
function variationTable(scenarios: readonly ScenarioFigures[]): string {
  const rows = scenarios.map(({ systems }) => {
    const [first, last] = [systems.at(0), systems.at(-1)];
    return row([
      last?.name ?? '',
      first?.name ?? '',
      ratioText(last?.quantities.cpu?.median, first?.quantities.cpu?.median),
      last === undefined ? '' : medianText(last, 'peakMemoryMiB', 0),
    ]);
  });
  return table(['Variation', 'compared with', 'CPU per delivery, ratio', 'peak memory, MiB'], rows);
}

/** Quantities that few situations have. They share the last column. */
const rareQuantities: ReadonlySet<Quantity> = new Set(['readyAfterS', 'changeMs']);

function situationTable(scenarios: readonly ScenarioFigures[]): string {
  const rows = scenarios.flatMap((scenario) =>
    scenario.systems.map((system) =>
      row([
        labelOf(scenario, system),
        medianText(system, 'p50', 1),
        medianText(system, 'p99', 1),
        medianText(system, 'cores', 3),
        medianText(system, 'peakMemoryMiB', 0),
        rareQuantitiesText(system),
      ]),
    ),
  );
  return table(['Situation', 'p50, ms', 'p99, ms', 'cores', 'peak memory, MiB', 'also'], rows);
}

function rareQuantitiesText(system: SystemFigures): string {
  return columns
    .filter(({ quantity }) => rareQuantities.has(quantity) && system.quantities[quantity] !== undefined)
    .map(({ quantity, title, unit, digits }) =>
      [title, medianText(system, quantity, digits), unit ?? ''].join(' ').trim(),
    )
    .join('; ');
}

function labelOf({ title }: ScenarioFigures, { name }: SystemFigures): string {
  if (references.includes(name)) return `${title}: ${name}`;
  return name === names.service ? title : name;
}

function medianText({ quantities }: SystemFigures, quantity: Quantity, digits: number): string {
  return quantities[quantity]?.median.toFixed(digits) ?? '';
}

function ratioText(numerator: number | undefined, denominator: number | undefined): string {
  return numerator === undefined || denominator === undefined ? '' : (numerator / denominator).toFixed(2);
}

const textColumns: ReadonlySet<string> = new Set(['compared with', 'also', 'verdict']);

/** Returns a Markdown table, or nothing without rows. Columns are aligned to the right, except texts. */
function table(heads: readonly string[], rows: readonly string[]): string {
  const rule = heads.map((head, index) => (index === 0 || textColumns.has(head) ? '---' : '---:'));
  return rows.length === 0 ? '' : [row(heads), row(rule), ...rows].join('\n');
}

/** Returns a row of a Markdown table. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
