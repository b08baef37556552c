import type { Reader } from './readers.ts';

/**
 * Part of the grace period, in ms, that requests in flight may not use. It is kept for writing aborted deliveries to a
 * tier, for the last commit, and for leaving the groups.
 */
const handoverMs = 4000;

/**
 * Stops the consumers of both groups at the same time. Resolves to true if no record is in flight any more. The last
 * commit may have failed even then.
 */
export async function drain(readers: readonly Reader[], graceMs: number): Promise<boolean> {
  const requestsMs = Math.max(0, graceMs - handoverMs);
  const drained = await Promise.all(readers.map(({ consumer }) => consumer.stop(requestsMs)));
  return drained.every(Boolean);
}
