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
import { DataqueryBuilder as LokiDataqueryBuilder } from '@grafana/grafana-foundation-sdk/loki';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as Table } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import type { PanelDefinition, Query } from './definition.ts';

/** The data sources that the viewer has selected. */
export const datasource = { type: 'prometheus', uid: '${datasource}' } as const;
const logs = { type: 'loki', uid: '${logs}' } as const;

type AnyBuilder = TimeSeries | Stat | Heatmap | Table;

export function isFromLog({ visualization }: PanelDefinition): boolean {
  return visualization === 'log table';
}

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
    case 'log table':
      return table();
  }
}

function described<Kind extends AnyBuilder>(panel: Kind, definition: PanelDefinition): Kind {
  const source = isFromLog(definition) ? logs : datasource;
  panel.title(definition.title).description(definition.description).datasource(source).unit(definition.unit);
  panel.targets(definition.queries.map((query, index) => target(query, index, definition)));
  panel.thresholds(thresholds(definition));
  if (definition.decimals !== undefined) panel.decimals(definition.decimals);
  return panel;
}

function target(
  { expression, legend }: Query,
  index: number,
  definition: PanelDefinition,
): DataqueryBuilder | LokiDataqueryBuilder {
  const refId = 'ABCDEFGH'.charAt(index);
  if (isFromLog(definition)) {
    return new LokiDataqueryBuilder().datasource(logs).refId(refId).expr(expression).queryType('instant');
  }
  const query = new DataqueryBuilder().datasource(datasource).refId(refId).expr(expression).legendFormat(legend);
  // Only the series of a histogram have exemplars.
  if (expression.includes('_bucket{')) query.exemplar(true);
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

/** Shows the labels and the value of each result, the highest first, without the time of the query. */
function table(): Table {
  const columns = { excludeByName: { Time: true }, renameByName: { 'Value #A': 'count' } };
  const highestFirst = { fields: {}, sort: [{ field: 'count', desc: true }] };
  return new Table().transformations([
    { id: 'organize', options: columns },
    { id: 'sortBy', options: highestFirst },
  ]);
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
