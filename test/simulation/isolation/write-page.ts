/** `npm run docs:isolation` runs the scenarios of the page's isolation table and writes the table. */
import { writeSection } from '../../../docs/generate/section.ts';
import { pagePath, shownGroups, tableOf } from './page.ts';
import { runSituation } from './run-situation.ts';
import type { ComparedFigures, IsolationScenario } from './situation.ts';

const compared: (readonly [IsolationScenario, ComparedFigures])[] = [];
for (const scenario of shownGroups.keys()) {
  process.stdout.write(`${scenario.name}\n`);
  const [without, trouble] = [await runSituation(scenario.without), await runSituation(scenario.trouble)];
  compared.push([scenario, { without, trouble }]);
}
await writeSection(pagePath, { name: 'isolation', text: tableOf(compared) });
