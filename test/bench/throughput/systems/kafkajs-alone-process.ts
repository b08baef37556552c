/** The limit of reading: kafkajs without changes reads the same topic, and does nothing else. */
import { Kafka, logLevel } from 'kafkajs';
import { machineTimeMs } from '../../written-at.ts';

export interface KafkajsSetup {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  /** Numbers of records after which the process sends a message. */
  readonly milestones: readonly number[];
}

/** The message of the process at a milestone. */
export interface RecordsRead {
  readonly records: number;
  /** The time, as `machineTimeMs`. */
  readonly at: number;
}

const { brokers, topic, groupId, milestones } = JSON.parse(process.argv[2] ?? '{}') as KafkajsSetup;
const pending = [...milestones];
let records = 0;

const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
const consumer = kafka.consumer({ groupId });
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
await consumer.run({
  eachBatch: async ({ batch }) => {
    records += batch.messages.length;
    if (records >= (pending[0] ?? Number.POSITIVE_INFINITY)) {
      pending.shift();
      process.send?.({ records, at: machineTimeMs() } satisfies RecordsRead);
    }
    await Promise.resolve();
  },
});
