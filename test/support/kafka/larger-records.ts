import type { Kafka } from 'kafkajs';
import { connectAdmin, connectProducer } from './client.ts';
import { eventually } from '../time/eventually.ts';

const maxBytes = 100_000;

/** Resolves once the topic takes records of a kilobyte, and has taken one: a broker answers before it acts. */
export async function takeLargerRecords(kafka: Kafka, topic: string): Promise<void> {
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
