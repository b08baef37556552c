import type { TopLevelSpec } from 'vega-lite';
import { isMet, reachedOf } from '../results/figures.ts';
import type { Result } from '../rounds.ts';
import { colours, look, stepPx, widthPx } from './style.ts';

/** Names of targets, and what they came to, take room as well. */
const width = widthPx * 0.6;

/** What a bar shows. */
interface Share {
  readonly target: string;
  /** The value over what it may be at most. */
  readonly share: number;
  /** Both, in words. */
  readonly value: string;
  readonly colour: string;
}

/** How far the targets are used up: at one they are. */
export function targetsPlot(results: readonly Result[]): TopLevelSpec {
  const y = { field: 'target', type: 'nominal', sort: null, title: null } as const;
  return {
    description: 'What the targets came to, over what they may come to at most',
    data: { values: results.flatMap(sharesOf) },
    width,
    height: { step: stepPx },
    layer: [
      {
        mark: 'bar',
        encoding: {
          x: { field: 'share', type: 'quantitative', stack: null, title: 'as a part of the limit' },
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
    config: look,
  };
}

/** One for each target. */
function sharesOf(result: Result): Share[] {
  return reachedOf(result).map((reached) => {
    const { what, atMost } = reached.target;
    return {
      target: `${result.scenario.name}: ${what}`,
      share: reached.value / atMost,
      value: `${reached.value.toFixed(3)} of ${atMost}`,
      colour: isMet(reached) ? colours.met : colours.missed,
    };
  });
}
