/** A dashboard as a person thinks of it. */
export interface DashboardPlan {
  /** The end of its uid and of its file's name. They stay as they are: links lead there. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly RowPlan[];
}

export interface RowPlan {
  readonly title: string;
  readonly panels: readonly PanelPlan[];
}

export interface PanelPlan {
  readonly title: string;
  /** What it shows, and what to do when it looks bad. */
  readonly description: string;
  /** As Grafana names it. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** `lines` when left out; `areas` add up. */
  readonly look?: 'lines' | 'areas' | 'number' | 'heatmap';
  /** Of 24; half of them when left out. */
  readonly width?: number;
  /** From where on it is bad, or up to where. */
  readonly bad?: { readonly above: number } | { readonly below: number };
  readonly decimals?: number;
}

export interface Query {
  readonly expression: string;
  /** Labels in double braces. */
  readonly legend: string;
}
