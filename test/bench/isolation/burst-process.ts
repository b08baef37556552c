/** Program that writes one owner's burst. It is a process of its own, so that it does not slow the measurement down. */
import { quietClient, connectProducer } from '../../support/kafka/client.ts';
import { Load } from './load.ts';

const { brokers, topic, count } = JSON.parse(process.argv[2] ?? '{}') as BurstSetup;
await using producer = await connectProducer(quietClient(brokers));
await new Load({ producer, topic, endpointOf: () => 0 }).burst(count);

export interface BurstSetup {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly count: number;
}
