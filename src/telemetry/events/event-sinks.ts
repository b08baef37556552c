import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import type { SampledWarn } from './sampled-warnings.ts';

export interface EventSinks {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly warnSampled: SampledWarn;
}
