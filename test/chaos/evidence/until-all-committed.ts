import type { Kafka } from 'kafkajs';
import { eventually } from '../../support/time/eventually.ts';
import { readProgress, type GroupTopic, type TopicProgress } from '../../support/kafka/lag.ts';

type ProgressByTopic = Readonly<Record<string, TopicProgress>>;

interface UntilCommittedOptions {
  readonly kafka: Kafka;
  readonly reads: readonly GroupTopic[];
  /** The last log lines of the instances, for the error message. */
  readonly lastLogLines: () => string;
}

/** Deliveries to an endpoint that was overloaded keep their estimated free times, which may be minutes ahead. */
const withinMs = 600_000;

/** Resolves once the groups have committed every record of the topics. Rejects with the lag after ten minutes. */
export async function untilAllCommitted({ kafka, reads, lastLogLines }: UntilCommittedOptions): Promise<void> {
  let latest: ProgressByTopic = {};
  const isDone = async (): Promise<boolean> => {
    const before = latest;
    try {
      latest = await readProgress(kafka, reads);
      return isIdle(before, latest);
    } catch {
      // A broker is still starting.
      return false;
    }
  };
  try {
    await eventually('all is committed', isDone, { withinMs, everyMs: 250 });
  } catch (cause) {
    throw new Error(`Records are left: ${JSON.stringify(latest)}\n${lastLogLines()}`, { cause });
  }
}

/**
 * Returns true if no delivery is in flight, provided that nothing is produced any more. Compares two readings.
 *
 * One reading with zero lag is not enough. A tier may be read before a delivery is written to it, and the delivery's
 * earlier topic after its commit. If the next reading finds no new record, there was no such delivery.
 */
function isIdle(before: ProgressByTopic, now: ProgressByTopic): boolean {
  return Object.entries(now).every(([topic, { written, lag }]) => {
    const earlier = before[topic];
    return lag === 0 && earlier?.lag === 0 && earlier.written === written;
  });
}
