import { describe, inject } from 'vitest';
import { needsKafka } from '../support/kafka/needs-kafka.ts';
import { describeContract } from './broker-contract.ts';
import { openKafkaCluster } from './kafka-cluster.ts';

const brokers = inject('kafka');

describe('a cluster', needsKafka(), () => {
  describeContract('Kafka', () => openKafkaCluster(brokers));
});
