/** Program that reads a topic with kafkajs, and does nothing else. */
import { Kafka, logLevel } from 'kafkajs';
import { machineTimeMs } from '../../written-at.ts';
import type { KafkajsSetup, RecordsRead } from './kafkajs-alone.ts';

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
