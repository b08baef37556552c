import type { TopLevelSpec } from 'vega-lite';
import type { Result } from '../rounds.ts';
import type { Picture } from '../results/section.ts';
import { costPlot } from './cost.ts';
import { targetsPlot } from './targets.ts';

export interface Plot extends Picture {
  readonly of: (results: readonly Result[]) => TopLevelSpec;
}

/** What the page shows. */
export const plots: readonly Plot[] = [
  {
    title: 'CPU seconds per 10,000 deliveries, by scenario and contestant: medians, with the lowest and the highest',
    file: 'performance/cpu-per-delivery.svg',
    of: costPlot,
  },
  {
    title: 'The targets: what was measured over what is wanted at most, with a line at one',
    file: 'performance/targets.svg',
    of: targetsPlot,
  },
];
