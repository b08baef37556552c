import { Registry } from 'prom-client';

/** The formats of the metrics with their content types. Only OpenMetrics has exemplars. */
export const contentTypes = {
  text: Registry.PROMETHEUS_CONTENT_TYPE,
  openMetrics: Registry.OPENMETRICS_CONTENT_TYPE,
} as const;
export type MetricsFormat = keyof typeof contentTypes;

/** Returns OpenMetrics if the client names it, and does not prefer text. */
export function acceptedFormat(accept = ''): MetricsFormat {
  const ranges = accept.split(',').map(parseRange);
  const openMetrics = qualityOf(ranges, /^application\/openmetrics-text(?:;version=1\.0\.0)?$/);
  const text = qualityOf(ranges, /^(?:text\/plain|text\/\*|\*\/\*)/);
  return openMetrics > 0 && openMetrics >= text ? 'openMetrics' : 'text';
}

interface MediaRange {
  /** The type and its version in lower case, without spaces and other parameters. */
  readonly type: string;
  readonly quality: number;
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.toLowerCase().replaceAll(/[\s"]/g, '').split(';');
  const version = parameters.find((parameter) => parameter.startsWith('version='));
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return {
    type: version === undefined ? type : `${type};${version}`,
    quality: quality === undefined ? 1 : Number(quality.slice(2)),
  };
}

function qualityOf(ranges: readonly MediaRange[], type: RegExp): number {
  return Math.max(0, ...ranges.filter((range) => type.test(range.type)).map(({ quality }) => quality));
}
