import type { TopicProgress } from '../../support/kafka/lag.ts';

type Standings = Readonly<Record<string, TopicProgress>>;

/**
 * Whether nothing is under way any more, once nobody produces. One look in which all is committed does not show that: a
 * tier may have been asked before a delivery came to it, and the topic it came from after that was committed. When the next
 * look finds no record more, there was no such delivery.
 */
export function isAtRest(before: Standings, now: Standings): boolean {
  return Object.entries(now).every(([topic, { written, lag }]) => {
    const earlier = before[topic];
    return lag === 0 && earlier?.lag === 0 && earlier.written === written;
  });
}
