import { kafkaErrorType } from '../client/faults.ts';

/** Compaction may have removed tombstones before they were read. The topic has to be read from its start. */
export class TombstonesMissedError extends Error {
  override readonly name = 'TombstonesMissedError';
}

/** Time in ms without an answer for a partition after which tombstones may be missed, and for which Kafka keeps them by default. */
const shortestSilenceMs = 600_000;
const keptByDefaultMs = 86_400_000;

/** Returns undefined after a short silence. Otherwise rejects if it lasted for half of the time for which tombstones are kept. */
export function assertTombstones(silentMs: number, ask: () => Promise<number | undefined>): Promise<void> | undefined {
  if (silentMs <= shortestSilenceMs) return undefined;
  // An outage that ends may make asking fail as well. The topic is read again then.
  const asked = ask().catch((error: unknown) => (isLasting(error) ? undefined : 0));
  return asked.then((keptMs = keptByDefaultMs) => {
    if (silentMs > keptMs / 2) throw new TombstonesMissedError(`no answer for ${silentMs} ms: tombstones may be gone`);
  });
}

/** Returns true if we lack a right, or the topic is gone. Asking again gives the same answer then. */
export function isLasting(error: unknown): boolean {
  const type = kafkaErrorType(error);
  return type === 'UNKNOWN_TOPIC_OR_PARTITION' || type?.endsWith('_AUTHORIZATION_FAILED') === true;
}
