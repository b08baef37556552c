import type { Kafka } from 'kafkajs';
import { connectAdmin, connectProducer } from './client.ts';
import { eventually } from '../time/eventually.ts';

const maxBytes = 100_000;

/** Raises the size limit of the topic. Writes a record of 1 kB, because a broker answers before it applies the limit. */
export async function allowLargerRecords(kafka: Kafka, topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await using producer = await connectProducer(kafka);
  const configEntries = [{ name: 'max.message.bytes', value: String(maxBytes) }];
  await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: topic, configEntries }] });
  const probe = { topic, messages: [{ value: 'x'.repeat(1000) }] };
  const isTaken = (): Promise<boolean> =>
    producer.send(probe).then(
      () => true,
      () => false,
    );
  await eventually(`${topic} takes larger records`, isTaken);
}
