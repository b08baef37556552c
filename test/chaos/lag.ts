import type { Kafka } from 'kafkajs';
import { connectAdmin } from '../support/kafka/client.ts';
import { committedOffsets } from '../support/kafka/commits.ts';
import { eventually } from '../support/kafka/eventually.ts';

export interface Read {
  readonly group: string;
  readonly topic: string;
}

interface Drain {
  readonly kafka: Kafka;
  readonly read: readonly Read[];
  /** Of whoever should have committed, for the message. */
  readonly lastWords: () => string;
}

/** Deliveries to an endpoint that was overloaded keep slots at its pace then, minutes ahead. */
const withinMs = 600_000;

/** Resolves once the groups have committed all that is in the topics; rejects with what is left when they do not. */
export async function untilAllCommitted({ kafka, read, lastWords }: Drain): Promise<void> {
  let lags: Readonly<Record<string, number>> = {};
  const isDone = async (): Promise<boolean> => {
    try {
      lags = Object.fromEntries(await Promise.all(read.map(async (one) => [one.topic, await lagOf(kafka, one)])));
      return Object.values(lags).every((lag) => lag === 0);
    } catch {
      // A broker is on its way back.
      return false;
    }
  };
  try {
    await eventually('all is committed', isDone, { withinMs, everyMs: 250 });
  } catch (cause) {
    throw new Error(`Records are left: ${JSON.stringify(lags)}\n${lastWords()}`, { cause });
  }
}

async function lagOf(kafka: Kafka, read: Read): Promise<number> {
  await using admin = await connectAdmin(kafka);
  const ends = await admin.fetchTopicOffsets(read.topic);
  const commits = new Map((await committedOffsets(kafka, read)).map(({ partition, offset }) => [partition, offset]));
  return ends
    .map(({ partition, low, high }) => Number(high) - (commits.get(partition) ?? Number(low)))
    .reduce((sum, lag) => sum + lag, 0);
}
