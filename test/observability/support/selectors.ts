/** One metric in an expression, with what is asked of its labels. */
export interface Selector {
  readonly metric: string;
  readonly matchers: string;
  readonly text: string;
}

/** All of them. Each has braces: that is checked on its own. */
export function selectorsOf(expression: string): readonly Selector[] {
  const found = expression.matchAll(/(?<metric>[a-zA-Z_:][\w:]*)\{(?<matchers>[^}]*)\}/g);
  return [...found].map(({ 0: text, groups = {} }) => ({
    metric: groups['metric'] ?? '',
    matchers: groups['matchers'] ?? '',
    text,
  }));
}

/** Of a histogram's series, the histogram. */
export function familyOf(metric: string): string {
  return metric.replace(/(?<=_seconds)_(?:bucket|count|sum)$/, '');
}

/** Metrics without braces: who has chosen a deployment would see all others too. */
export function bareMetrics(expression: string): readonly string[] {
  return expression.match(/\b(?:certificate_webhooks|job:|process|nodejs)[\w:]*(?![\w:{])/g) ?? [];
}
