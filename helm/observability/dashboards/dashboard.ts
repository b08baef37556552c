import {
  DashboardCursorSync,
  DashboardLinkType,
  VariableRefresh,
  VariableSort,
  VariableType,
  type AnnotationQuery,
  type DashboardLink,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { placePanels } from './layout.ts';
import { selection } from './promql.ts';
import { datasource, isFromLog } from './panel.ts';
import type { DashboardDefinition } from './definition.ts';

/** The tag by which the dashboards link to each other. */
const tag = 'certificate-webhooks';

export function dashboardUid({ name }: Pick<DashboardDefinition, 'name'>): string {
  return `certificate-webhooks-${name}`;
}

/**
 * Returns a dashboard in the format of Grafana's provisioning. The SDK has deprecated its type for this format, but most
 * installations cannot read the newer one yet.
 */
export function createDashboard(definition: DashboardDefinition): object {
  return {
    uid: dashboardUid(definition),
    title: `Certificate webhooks / ${definition.title}`,
    description: definition.description,
    tags: [tag],
    editable: false,
    graphTooltip: DashboardCursorSync.Crosshair,
    timezone: 'browser',
    time: { from: 'now-6h', to: 'now' },
    refresh: '1m',
    schemaVersion: 39,
    templating: { list: variables(definition) },
    annotations: { list: [newVersions()] },
    links: [links()],
    panels: placePanels(definition.rows),
  };
}

function variables({ rows }: DashboardDefinition): readonly VariableModel[] {
  const running = 'certificate_webhooks_build_info';
  const hasLogs = rows.some(({ panels }) => panels.some(isFromLog));
  return [
    { name: 'datasource', label: 'Data source', type: VariableType.Datasource, query: 'prometheus' },
    // "All" also matches series without the label, because not everybody runs on Kubernetes, or has several clusters.
    labelValues({ label: 'cluster', of: running, all: '.*' }),
    labelValues({ label: 'namespace', of: `${running}{cluster=~"$cluster"}`, all: '.*' }),
    labelValues({ label: 'job', of: `${running}{cluster=~"$cluster",namespace=~"$namespace"}`, all: '.+' }),
    labelValues({ label: 'instance', of: `${running}{${selection}}`, all: '.+' }),
    ...(hasLogs ? [{ name: 'logs', label: 'Logs', type: VariableType.Datasource, query: 'loki' }] : []),
  ];
}

function labelValues({ label, of, all }: Readonly<Record<'label' | 'of' | 'all', string>>): VariableModel {
  const query = `label_values(${of}, ${label})`;
  return {
    name: label,
    label: `${label.charAt(0).toUpperCase()}${label.slice(1)}`,
    type: VariableType.Query,
    datasource,
    query: { qryType: 1, query, refId: label },
    definition: query,
    multi: true,
    includeAll: true,
    allValue: all,
    current: { text: ['All'], value: ['$__all'] },
    refresh: VariableRefresh.OnTimeRangeChanged,
    sort: VariableSort.AlphabeticalAsc,
  };
}

/** Marks the start of instances with a new version. */
function newVersions(): AnnotationQuery {
  const running = `certificate_webhooks_build_info{${selection}}`;
  return {
    name: 'New versions',
    datasource,
    enable: true,
    iconColor: 'blue',
    expr: `count by (version) (${running}) unless count by (version) (${running} offset 5m)`,
    titleFormat: 'Version {{version}}',
  };
}

/** Links to the other dashboards, with the selected variables and time range. */
function links(): DashboardLink {
  return {
    title: 'Certificate webhooks',
    type: DashboardLinkType.Dashboards,
    tags: [tag],
    includeVars: true,
    keepTime: true,
    asDropdown: false,
    targetBlank: false,
    icon: 'external link',
    tooltip: '',
  };
}
