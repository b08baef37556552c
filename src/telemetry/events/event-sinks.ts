import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import type { SampledWarn } from './sampled-warnings.ts';

/** The log, the metrics and the sampled warnings that events are emitted to. */
export interface EventSinks {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly warnSampled: SampledWarn;
}
