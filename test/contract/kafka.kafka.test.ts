import { inject } from 'vitest';
import { describeContract } from './broker-contract.ts';
import { openKafkaCluster } from './kafka-cluster.ts';

const brokers = inject('kafka');

describeContract('Kafka', () => openKafkaCluster(brokers));
