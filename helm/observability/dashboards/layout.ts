import { RowBuilder, type Panel, type RowPanel } from '@grafana/grafana-foundation-sdk/dashboard';
import { createPanel } from './panel.ts';
import type { PanelPlan, RowPlan } from './plan.ts';

const columns = 24;

/** Rows below one another, their panels from left to right and onto the next line where one is full. */
export function lay(rows: readonly RowPlan[]): readonly (Panel | RowPanel)[] {
  const laid: (Panel | RowPanel)[] = [];
  let y = 0;
  for (const row of rows) {
    laid.push(
      new RowBuilder(row.title)
        .id(laid.length + 1)
        .gridPos({ h: 1, w: columns, x: 0, y })
        .build(),
    );
    y += 1;
    for (const line of linesOf(row.panels)) {
      let x = 0;
      const h = line.every(({ look }) => look === 'number') ? 4 : 8;
      for (const panel of line) {
        const w = widthOf(panel);
        laid.push(createPanel(panel, { id: laid.length + 1, gridPos: { h, w, x, y } }));
        x += w;
      }
      y += h;
    }
  }
  return laid;
}

function linesOf(panels: readonly PanelPlan[]): readonly (readonly PanelPlan[])[] {
  const lines: PanelPlan[][] = [];
  let free = 0;
  for (const panel of panels) {
    if (widthOf(panel) > free) {
      lines.push([]);
      free = columns;
    }
    lines.at(-1)?.push(panel);
    free -= widthOf(panel);
  }
  return lines;
}

function widthOf({ width = columns / 2 }: PanelPlan): number {
  return width;
}
