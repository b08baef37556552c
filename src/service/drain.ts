import type { Reader } from './readers.ts';

/** What is kept of the grace for writing what was handed over, the last commit, and leaving the groups. */
const partingMs = 4000;

/** Both groups at once. Resolves to whether all that was under way is settled and committed. */
export async function drain(readers: readonly Reader[], graceMs: number): Promise<boolean> {
  const requestsMs = Math.max(0, graceMs - partingMs);
  const drained = await Promise.all(readers.map(({ consumer }) => consumer.stop(requestsMs)));
  return drained.every(Boolean);
}
