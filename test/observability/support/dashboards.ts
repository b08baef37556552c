import { globSync } from 'node:fs';
import { readText, root } from '../../support/files/sources.ts';

/** As much of a shipped dashboard as is looked at. */
export interface ShippedDashboard {
  readonly uid: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly editable: boolean;
  readonly graphTooltip: number;
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] };
  readonly links: readonly { readonly type: string; readonly tags: readonly string[]; readonly includeVars: boolean }[];
  readonly panels: readonly Panel[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
  readonly datasource?: Datasource;
  readonly multi?: boolean;
  readonly includeAll?: boolean;
  readonly allValue?: string;
  readonly refresh?: number;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: Datasource;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } };
  readonly targets: readonly Target[];
}

interface Target {
  readonly refId: string;
  readonly expr: string;
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

/** A dashboard's file is named after its uid. */
export function pathOf(uid: string): string {
  return `helm/certificate-webhooks/dashboards/${uid}.json`;
}

/** Those that show something: rows have no data. */
export function panelsOf({ panels }: ShippedDashboard): readonly Panel[] {
  return panels.filter(({ type }) => type !== 'row');
}

/** A question of a panel, or of the marks on all panels, and where it is asked. */
export interface Question {
  readonly where: string;
  readonly expression: string;
}

export function questionsOf(dashboard: ShippedDashboard): readonly Question[] {
  const marks = dashboard.annotations.list.map(({ name, expr }) => ({ where: name, expression: expr }));
  const shown = panelsOf(dashboard).flatMap(({ title, targets }) =>
    targets.map(({ refId, expr }) => ({ where: `${title}, ${refId}`, expression: expr })),
  );
  return [...shown, ...marks].map(({ where, expression }) => ({ where: `${dashboard.title}: ${where}`, expression }));
}

/** With all of everything chosen, and an interval as Grafana would choose it. */
export function asAsked(expression: string, rateInterval = '1m'): string {
  return expression
    .replaceAll('$__rate_interval', rateInterval)
    .replaceAll('"$namespace"', '".*"')
    .replaceAll(/"\$(?:job|instance)"/g, '".+"');
}
