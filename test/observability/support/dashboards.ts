import { globSync } from 'node:fs';
import { readText, root } from '../../support/files/sources.ts';

/** The parts of a shipped dashboard that the tests use. */
interface ShippedDashboard {
  readonly uid: string;
  readonly title: string;
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] };
  readonly panels: readonly Panel[];
}

export interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: Datasource;
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } };
  readonly targets: readonly Target[];
}

interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly exemplar?: boolean;
  readonly datasource?: Datasource;
  readonly legendFormat: string;
}

interface Datasource {
  readonly type: string;
  readonly uid: string;
}

export function shippedDashboards(): readonly ShippedDashboard[] {
  const files = globSync(pathOf('*'), { cwd: root });
  return files.toSorted().map((path) => JSON.parse(readText(path)) as ShippedDashboard);
}

/** Returns the path of a dashboard's file, which is named after its uid. */
export function pathOf(uid: string): string {
  return `helm/certificate-webhooks/dashboards/${uid}.json`;
}

/** Returns the panels with data. Rows have none. */
export function panelsOf({ panels }: ShippedDashboard): readonly Panel[] {
  return panels.filter(({ type }) => type !== 'row');
}

/** Returns true for panels whose queries are for Loki. */
export function isFromLog({ datasource }: Panel): boolean {
  return datasource?.type === 'loki';
}

/** A query for Prometheus, of a panel or of an annotation, and where it is. */
export interface Query {
  readonly where: string;
  readonly expression: string;
}

export function queriesOf(dashboard: ShippedDashboard): readonly Query[] {
  const annotations = dashboard.annotations.list.map(({ name, expr }) => ({ where: name, expression: expr }));
  const shown = panelsOf(dashboard)
    .filter((panel) => !isFromLog(panel))
    .flatMap(({ title, targets }) =>
      targets.map(({ refId, expr }) => ({ where: `${title}, ${refId}`, expression: expr })),
    );
  return [...shown, ...annotations].map(({ where, expression }) => ({
    where: `${dashboard.title}: ${where}`,
    expression,
  }));
}

/** Replaces the variables as Grafana does with everything selected, and the interval by a typical one. */
export function asRequested(expression: string, rateInterval = '1m'): string {
  return expression
    .replaceAll('$__rate_interval', rateInterval)
    .replaceAll(/"\$(?:cluster|namespace)"/g, '".*"')
    .replaceAll(/"\$(?:job|instance)"/g, '".+"');
}
