import type { TopLevelSpec } from 'vega-lite';
import type { Result } from '../rounds.ts';
import { limits } from '../scenario.ts';
import { spreadOf, type Spread } from '../results/figures.ts';
import { colours, look, stepPx, widthPx } from './style.ts';

/** What a bar shows. */
interface Cost extends Spread {
  readonly contestant: string;
  readonly colour: string;
}

interface Group {
  readonly title: string;
  readonly costs: readonly Cost[];
}

/** CPU by scenario and contestant: the medians, with the lowest and the highest. */
export function costPlot(results: readonly Result[]): TopLevelSpec {
  const groups = results.map(groupOf).filter(({ costs }) => costs.length > 0);
  return {
    description: 'CPU seconds per 10,000 deliveries by scenario and contestant',
    vconcat: groups.map(plotOf),
    spacing: 10,
    config: look,
  };
}

function groupOf({ scenario, samples }: Result): Group {
  const costs = [...samples].flatMap(([contestant, runs]) => {
    const spread = spreadOf(runs, 'cpu');
    const isLimit = limits.includes(contestant);
    return spread === undefined ? [] : [{ contestant, colour: isLimit ? colours.limit : colours.service, ...spread }];
  });
  return { title: scenario.title, costs };
}

/** Each has an axis of its own: a handshake costs so much more than a request. */
function plotOf(group: Group): Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][0] {
  const x = { type: 'quantitative', title: 'CPU seconds per 10,000 deliveries' } as const;
  return {
    title: group.title,
    data: { values: [...group.costs] },
    width: widthPx,
    height: { step: stepPx },
    encoding: { y: { field: 'contestant', type: 'nominal', sort: null, title: null } },
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
        encoding: { x: { ...x, field: 'least' }, x2: { field: 'most' } },
      },
    ],
  };
}
