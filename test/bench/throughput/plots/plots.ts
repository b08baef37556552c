import type { TopLevelSpec } from 'vega-lite';
import type { ScenarioFigures } from '../results/figures.ts';
import type { Picture } from '../results/section.ts';
import { costPlot } from './cost.ts';
import { targetsPlot } from './targets.ts';

interface Plot extends Picture {
  readonly of: (scenarios: readonly ScenarioFigures[]) => TopLevelSpec;
}

/** The plots of the page. */
export const plots: readonly Plot[] = [
  {
    title: 'CPU seconds per 10,000 deliveries by scenario and system: medians, with the lowest and the highest',
    file: 'performance/cpu-per-delivery.svg',
    of: costPlot,
  },
  {
    title: 'Targets: each value divided by its limit. A bar beyond the mark at 1 has missed its target',
    file: 'performance/targets.svg',
    of: targetsPlot,
  },
];
