import type { PartitionAssigner } from 'kafkajs';
import type { ConsumerHooks, FetchedBatch } from '../../../src/kafka/client/consumer.ts';
import { withHooks } from '../../../src/kafka/kafkajs/group-state.ts';
import type { Cluster, ConsumerGroup, Runner } from '../../../src/kafka/kafkajs/internals.ts';

// Fakes of kafkajs's classes that have only what a test sets. A repair that uses anything else fails.

const nothing = (): Promise<void> => Promise.resolve();
const noAssignor: PartitionAssigner = () => Object.create(null);

type Script<T> = { -readonly [Name in keyof T]?: T[Name] };

export function scriptedGroup(script: Script<ConsumerGroup>): ConsumerGroup {
  const group: ConsumerGroup = Object.create(null);
  const start = {
    groupId: 'group',
    memberId: 'member',
    generationId: 1,
    sessionTimeout: 15_000,
    maxWaitTime: 250,
    minBytes: 1000,
    lastRequest: 0,
  };
  return Object.assign(group, { ...start, joinAndSync: nothing, heartbeat: nothing, commitOffsets: nothing }, script);
}

export function scriptedRunner(consumerGroup: ConsumerGroup, script: Script<Runner> = {}): Runner {
  const runner: Runner = Object.create(null);
  return Object.assign(runner, { consumerGroup, stop: nothing }, script);
}

export const aBatch: FetchedBatch = { topic: 't', partition: 0, highWatermark: 1, messages: [], lastOffset: () => '0' };

export function scriptedCluster(script: Script<Cluster>, hooks?: ConsumerHooks): Cluster {
  const cluster: Cluster = Object.assign(Object.create(null), script);
  if (hooks !== undefined) withHooks(hooks, noAssignor)({ cluster, groupId: 'group', logger: Object.create(null) });
  return cluster;
}

/** The `findConnectedBroker` of a pool without a reachable broker. */
export const noConnectedBroker = (): Promise<never> => Promise.reject(networkError());

/** Returns an error like those of kafkajs. */
export function kafkaError(name: string, fields: { readonly type?: string } = {}): Error {
  return Object.assign(new Error(name), { name, ...fields });
}

export const networkError = (): Error => kafkaError('KafkaJSConnectionClosedError');
export const brokerError = (type: string): Error => kafkaError('KafkaJSProtocolError', { type });
