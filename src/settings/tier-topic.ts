import { formatDuration, parseDuration } from '../lib/units.ts';

/** Returns the topic of the tier with that delay: `PREFIX.10m` for 600,000 ms. */
export function tierTopic(prefix: string, delayMs: number): string {
  return `${prefix}.${formatDuration(delayMs)}`;
}

/** Returns the delay of a topic that is read as a tier, configured or not. Returns undefined for any other topic. */
export function tierDelayMs(prefix: string, topic: string): number | undefined {
  return topic.startsWith(`${prefix}.`) ? parseDuration(topic.slice(prefix.length + 1)) : undefined;
}
