import type { TopLevelSpec } from 'vega-lite';
import type { Spread } from '../../spread.ts';
import type { ScenarioFigures } from '../results/figures.ts';
import { colours, stepPx, style, widthPx } from './style.ts';

/** The values of one bar. */
interface Bar extends Spread {
  readonly system: string;
  readonly colour: string;
}

interface Group {
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** Plots the CPU per delivery by scenario and system. Bars show medians, whiskers the lowest and highest. */
export function costPlot(scenarios: readonly ScenarioFigures[]): TopLevelSpec {
  const groups = scenarios.map(groupOf).filter(({ bars }) => bars.length > 0);
  return {
    description: 'CPU seconds per 10,000 deliveries by scenario and system',
    vconcat: groups.map(plotOf),
    spacing: 10,
    config: style,
  };
}

function groupOf({ title, systems }: ScenarioFigures): Group {
  const bars = systems.flatMap(({ name, isLimit, quantities: { cpu } }) =>
    cpu === undefined ? [] : [{ system: name, colour: isLimit ? colours.limit : colours.service, ...cpu }],
  );
  return { title, bars };
}

/** Each group has an axis of its own, because a handshake costs much more than a request. */
function plotOf(group: Group): Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][0] {
  const x = { type: 'quantitative', title: 'CPU seconds per 10,000 deliveries' } as const;
  return {
    title: group.title,
    data: { values: [...group.bars] },
    width: widthPx,
    height: { step: stepPx },
    encoding: { y: { field: 'system', type: 'nominal', sort: null, title: null } },
    layer: [
      {
        mark: 'bar',
        encoding: {
          x: { ...x, field: 'median', stack: null },
          color: { field: 'colour', type: 'nominal', scale: null },
        },
      },
      {
        mark: { type: 'errorbar', ticks: true },
        encoding: { x: { ...x, field: 'lowest' }, x2: { field: 'highest' } },
      },
    ],
  };
}
