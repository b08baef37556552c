import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type GridPos,
  type Panel,
  type Threshold,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { HeatmapColorOptionsBuilder, PanelBuilder as Heatmap } from '@grafana/grafana-foundation-sdk/heatmap';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import type { PanelDefinition, Query } from './definition.ts';

/** The data source that the viewer has selected. */
export const datasource = { type: 'prometheus', uid: '${datasource}' } as const;

type AnyBuilder = TimeSeries | Stat | Heatmap;

export function createPanel(
  definition: PanelDefinition,
  place: { readonly id: number; readonly gridPos: GridPos },
): Panel {
  const panel = described(createBuilder(definition), definition).id(place.id).gridPos(place.gridPos);
  return panel.build();
}

function createBuilder(definition: PanelDefinition): AnyBuilder {
  switch (definition.visualization ?? 'lines') {
    case 'lines':
      return lines(definition);
    case 'areas':
      return lines(definition).stacking(new StackingConfigBuilder().mode(StackingMode.Normal)).fillOpacity(40).min(0);
    case 'number':
      return number();
    case 'heatmap':
      return new Heatmap()
        .calculate(false)
        .cellGap(0)
        .color(new HeatmapColorOptionsBuilder().scheme('Blues').steps(64));
  }
}

function described<Kind extends AnyBuilder>(panel: Kind, definition: PanelDefinition): Kind {
  panel.title(definition.title).description(definition.description).datasource(datasource).unit(definition.unit);
  panel.targets(definition.queries.map((query, index) => target(query, index, definition)));
  panel.thresholds(thresholds(definition));
  if (definition.decimals !== undefined) panel.decimals(definition.decimals);
  return panel;
}

function target({ expression, legend }: Query, index: number, definition: PanelDefinition): DataqueryBuilder {
  const query = new DataqueryBuilder()
    .datasource(datasource)
    .refId('ABCDEFGH'.charAt(index))
    .expr(expression)
    .legendFormat(legend);
  if (definition.visualization === 'number') return query.instant();
  if (definition.visualization === 'heatmap') return query.range().format(PromQueryFormat.Heatmap);
  return query.range();
}

function lines({ bad }: PanelDefinition): TimeSeries {
  const panel = new TimeSeries()
    .lineWidth(1)
    .fillOpacity(10)
    .spanNulls(false)
    .tooltip({ build: () => ({ mode: TooltipDisplayMode.Multi, sort: SortOrder.Descending }) })
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs([]),
    );
  if (bad === undefined) return panel;
  return panel.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
}

function number(): Stat {
  return new Stat()
    .graphMode(BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false));
}

function thresholds({ bad }: PanelDefinition): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([...steps(bad)]);
}

function steps(bad: PanelDefinition['bad']): readonly Threshold[] {
  if (bad === undefined) return [{ value: null, color: 'text' }];
  const [first, value, then] = 'above' in bad ? ['green', bad.above, 'red'] : ['red', bad.below, 'green'];
  return [
    { value: null, color: first },
    { value, color: then },
  ];
}
