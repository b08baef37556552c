import type { Kafka } from 'kafkajs';
import { eventually } from '../../support/time/eventually.ts';
import { readProgress, type GroupTopic, type TopicProgress } from '../../support/kafka/lag.ts';
import { isIdle } from './idle.ts';

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
  let latest: Readonly<Record<string, TopicProgress>> = {};
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
