import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import type { WarnOnce } from './repeated-warnings.ts';

/** Where the events are told. */
export interface EventSinks {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly warnOnce: WarnOnce;
}
