/** Writes many certificates for the first endpoint's owner, apart from those who measure meanwhile. */
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
