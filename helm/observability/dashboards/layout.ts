import { RowBuilder, type Panel, type RowPanel } from '@grafana/grafana-foundation-sdk/dashboard';
import { createPanel } from './panel.ts';
import type { PanelDefinition, RowDefinition } from './definition.ts';

const columns = 24;

/** Places the panels of each row from left to right, and starts a new line if one is full. */
export function placePanels(rows: readonly RowDefinition[]): readonly (Panel | RowPanel)[] {
  const placed: (Panel | RowPanel)[] = [];
  let y = 0;
  for (const row of rows) {
    placed.push(
      new RowBuilder(row.title)
        .id(placed.length + 1)
        .gridPos({ h: 1, w: columns, x: 0, y })
        .build(),
    );
    y += 1;
    for (const line of linesOf(row.panels)) {
      let x = 0;
      const h = line.every(({ visualization }) => visualization === 'number') ? 4 : 8;
      for (const panel of line) {
        const w = widthOf(panel);
        placed.push(createPanel(panel, { id: placed.length + 1, gridPos: { h, w, x, y } }));
        x += w;
      }
      y += h;
    }
  }
  return placed;
}

function linesOf(panels: readonly PanelDefinition[]): readonly (readonly PanelDefinition[])[] {
  const lines: PanelDefinition[][] = [];
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

function widthOf({ width = columns / 2 }: PanelDefinition): number {
  return width;
}
