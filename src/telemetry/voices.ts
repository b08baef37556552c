import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';
import type { WarnOnce } from './warnings.ts';

/** Where the events are told. */
export interface Voices {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly warnOnce: WarnOnce;
}
