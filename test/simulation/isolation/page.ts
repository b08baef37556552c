import { groupIn, type Figures } from './figures.ts';
import { blackHolesScenario } from './scenarios/black-holes.ts';
import { burstScenario } from './scenarios/burst.ts';
import { hangingHalfScenario } from './scenarios/hanging-half.ts';
import { hostileScenario } from './scenarios/hostile.ts';
import type { ComparedFigures, IsolationScenario } from './situation.ts';
import { slowEndpointScenario } from './scenarios/slow-endpoint.ts';
import { twoHundredHangScenario } from './scenarios/sudden-hang.ts';

export const pagePath = 'docs/performance.md';

/** The scenarios of the page's table, and the groups of deliveries in it. */
export const shownGroups: ReadonlyMap<IsolationScenario, readonly string[]> = new Map([
  [blackHolesScenario, ['the healthy']],
  [hangingHalfScenario, ['others', 'others in its partition']],
  [twoHundredHangScenario, ['the others']],
  [slowEndpointScenario, ['others', 'others in its partition']],
  [burstScenario, ['singles', 'singles in its partition']],
  [hostileScenario, ['the healthy']],
]);

const columns = ['Trouble', 'Deliveries to', 'p99 without', 'p99 with', 'a second without', 'a second with'];

/** Returns the table of these scenarios as Markdown. */
export function tableOf(scenarios: readonly (readonly [IsolationScenario, ComparedFigures])[]): string {
  const rows = scenarios.flatMap(([scenario, figures]) => rowsOf(scenario, figures));
  return [rowOf(columns), rowOf(['---', '---', '---:', '---:', '---:', '---:']), ...rows].join('\n');
}

/** Returns a row for each group that the page shows. */
export function rowsOf(scenario: IsolationScenario, { without, trouble }: ComparedFigures): readonly string[] {
  return (shownGroups.get(scenario) ?? []).map((group) => {
    const figure = (read: (figures: Figures) => number): readonly string[] =>
      [without, trouble].map((figures) => read(figures).toFixed(1));
    const queueing = figure((figures) => groupIn(figures, group).queueing.p99);
    const throughput = figure((figures) => groupIn(figures, group).perSecond);
    return rowOf([scenario.name, group, ...queueing, ...throughput]);
  });
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
