import type { TopicProgress } from '../../support/kafka/lag.ts';

type ProgressByTopic = Readonly<Record<string, TopicProgress>>;

/**
 * Returns true if no delivery is in flight, provided that nothing is produced any more. Compares two readings.
 *
 * One reading with zero lag is not enough. A tier may be read before a delivery is written to it, and the delivery's
 * earlier topic after its commit. If the next reading finds no new record, there was no such delivery.
 */
export function isIdle(before: ProgressByTopic, now: ProgressByTopic): boolean {
  return Object.entries(now).every(([topic, { written, lag }]) => {
    const earlier = before[topic];
    return lag === 0 && earlier?.lag === 0 && earlier.written === written;
  });
}
