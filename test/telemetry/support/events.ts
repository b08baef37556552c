import type { LevelWithSilent } from 'pino';
import { createEvents, type Events } from '../../../src/telemetry/events/events.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { movedSamples } from './exposition.ts';
import { captureLog, type CapturedLog } from './log.ts';
import { someMetrics } from './metrics.ts';

/** Events with their effects on the log and the metrics. */
interface EmittedEvents extends Omit<CapturedLog, 'logger'> {
  readonly events: Events;
  readonly clock: ManualClock;
  /** Returns the series that are not zero, without the prefix. */
  readonly moved: () => Promise<Readonly<Record<string, number>>>;
}

export function someEvents(level?: LevelWithSilent, logDeliveries: 'all' | 'failed' = 'all'): EmittedEvents {
  const { logger, text, lines } = captureLog(level);
  const clock = new ManualClock();
  const metrics = someMetrics();
  const events = createEvents({ logger, metrics, clock, tierLabels: ['10s', '1m'], logDeliveries });
  return { events, clock, text, lines, moved: async () => movedSamples(await metrics.render()) };
}
