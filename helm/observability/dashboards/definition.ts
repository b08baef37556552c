/** A dashboard without the details of Grafana's format. */
export interface DashboardDefinition {
  /** The end of its uid and of its file name. Do not change it, because links use it. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly RowDefinition[];
}

export interface RowDefinition {
  readonly title: string;
  readonly panels: readonly PanelDefinition[];
}

export interface PanelDefinition {
  readonly title: string;
  /** Says what the panel shows, and what to do if it looks bad. */
  readonly description: string;
  /** Grafana's name of the unit. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Default: `lines`. `areas` are stacked. A `log table` has one row for each result of a query for Loki. */
  readonly visualization?: 'lines' | 'areas' | 'number' | 'heatmap' | 'log table';
  /** In columns. A row has 24. Default: 12. */
  readonly width?: number;
  /** The range of bad values. */
  readonly bad?: { readonly above: number } | { readonly below: number };
  readonly decimals?: number;
}

export interface Query {
  readonly expression: string;
  /** Text with labels in double braces. */
  readonly legend: string;
}
