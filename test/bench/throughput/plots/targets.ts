import type { TopLevelSpec } from 'vega-lite';
import { isMet, type ScenarioFigures } from '../results/figures.ts';
import { colours, stepPx, style, widthPx } from './style.ts';

/** Less than the usual width, because the names and values of targets need room as well. */
const width = widthPx * 0.6;

/** The values of one bar. */
interface Bar {
  readonly target: string;
  /** The value divided by its limit. */
  readonly share: number;
  /** Both as text. */
  readonly value: string;
  readonly colour: string;
}

/** Plots each target's value divided by its limit, with a mark at 1. */
export function targetsPlot(scenarios: readonly ScenarioFigures[]): TopLevelSpec {
  const y = { field: 'target', type: 'nominal', sort: null, title: null } as const;
  return {
    description: 'Values of the targets, divided by their limits',
    data: { values: scenarios.flatMap(barsOf) },
    width,
    height: { step: stepPx },
    layer: [
      {
        mark: 'bar',
        encoding: {
          x: { field: 'share', type: 'quantitative', stack: null, title: 'share of the limit' },
          y,
          color: { field: 'colour', type: 'nominal', scale: null },
        },
      },
      {
        mark: { type: 'text', align: 'left', dx: 8 },
        encoding: { x: { value: width }, y, text: { field: 'value' } },
      },
      { mark: 'rule', encoding: { x: { datum: 1 } } },
    ],
    config: style,
  };
}

function barsOf({ name, targets }: ScenarioFigures): Bar[] {
  return targets.flatMap((target) => {
    const { what, atMost, value } = target;
    if (value === null) return [];
    return {
      target: `${name}: ${what}`,
      share: value / atMost,
      value: `${value.toFixed(3)} of ${atMost}`,
      colour: isMet(target) ? colours.met : colours.missed,
    };
  });
}
