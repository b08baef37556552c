import { row } from '../../row.ts';
import { spreadText } from '../../spread.ts';
import { columns, headOf } from './columns.ts';
import { isMet, type ScenarioFigures } from './figures.ts';

/** Returns all figures and targets in Markdown, for the terminal. */
export function describeScenarios(scenarios: readonly ScenarioFigures[]): string {
  return scenarios.map(describeScenario).join('\n\n');
}

function describeScenario({ title, systems, targets }: ScenarioFigures): string {
  const measured = columns.filter(({ quantity }) => systems.some(({ quantities }) => quantities[quantity]));
  const rows = systems.map(({ name, quantities }) =>
    row([
      name,
      ...measured.map(({ quantity, digits }) => {
        const spread = quantities[quantity];
        return spread === undefined ? '' : spreadText(spread, digits);
      }),
    ]),
  );
  const targetRows = targets.map((target) => {
    const { what, atMost, value } = target;
    return row([what, String(atMost), value?.toFixed(3) ?? 'not measured', isMet(target) ? 'met' : '**not met**']);
  });
  return [
    `### ${title}`,
    '',
    row(['', ...measured.map(headOf)]),
    row(['---', ...measured.map(() => '---:')]),
    ...rows,
    ...(targets.length === 0
      ? []
      : ['', row(['Target', 'at most', 'measured', '']), row(['---', '---:', '---:', '---'])]),
    ...targetRows,
  ].join('\n');
}
