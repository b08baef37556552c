/** One metric in an expression, with its label matchers. */
export interface Selector {
  readonly metric: string;
  readonly matchers: string;
  readonly text: string;
}

/** Returns all selectors with braces. `bareMetrics` finds those without. */
export function selectorsOf(expression: string): readonly Selector[] {
  const found = expression.matchAll(/(?<metric>[a-zA-Z_:][\w:]*)\{(?<matchers>[^}]*)\}/g);
  return [...found].map(({ 0: text, groups = {} }) => ({
    metric: groups['metric'] ?? '',
    matchers: groups['matchers'] ?? '',
    text,
  }));
}

/** Returns the histogram of a histogram's series, or the metric itself. */
export function familyOf(metric: string): string {
  return metric.replace(/(?<=_seconds)_(?:bucket|count|sum)$/, '');
}

/** Returns metrics without braces. They would include other deployments than the selected one. */
export function bareMetrics(expression: string): readonly string[] {
  return expression.match(/\b(?:certificate_webhooks|job:|process|nodejs)[\w:]*(?![\w:{])/g) ?? [];
}
