import type { Kafka } from 'kafkajs';
import { eventually } from '../../support/time/eventually.ts';
import { readProgress, type GroupTopic, type TopicProgress } from '../../support/kafka/lag.ts';
import { isAtRest } from './idle.ts';

interface Drain {
  readonly kafka: Kafka;
  readonly reads: readonly GroupTopic[];
  /** Of whoever should have committed, for the message. */
  readonly lastWords: () => string;
}

/** Deliveries to an endpoint that was overloaded keep slots at its pace then, minutes ahead. */
const withinMs = 600_000;

/** Resolves once the groups have committed all that is in the topics; rejects with what is left when they do not. */
export async function untilAllCommitted({ kafka, reads, lastWords }: Drain): Promise<void> {
  let latest: Readonly<Record<string, TopicProgress>> = {};
  const isDone = async (): Promise<boolean> => {
    const before = latest;
    try {
      latest = await readProgress(kafka, reads);
      return isAtRest(before, latest);
    } catch {
      // A broker is on its way back.
      return false;
    }
  };
  try {
    await eventually('all is committed', isDone, { withinMs, everyMs: 250 });
  } catch (cause) {
    throw new Error(`Records are left: ${JSON.stringify(latest)}\n${lastWords()}`, { cause });
  }
}
