import { fetchWithinBudget } from '../../../../src/kafka/kafkajs/fetch/fetch.ts';
import type { Broker, Connection, RequestQueue } from '../../../../src/kafka/kafkajs/internals.ts';
import { loadInternals } from '../../../../src/kafka/kafkajs/load.ts';
import { int16, int32 } from '../../../support/kafka/raw-batch.ts';

/** A broker that answers each request with these bytes, which begin after the correlation id. */
export function answeringBroker(
  answer: (request: Buffer) => Buffer | Promise<Buffer>,
  connected: Partial<Record<keyof Connection, unknown>> = {},
): Broker {
  const broker: Broker = Object.assign(Object.create(null), { disconnect: async () => undefined });
  let sent: Buffer = Buffer.alloc(0);
  const requestQueue: Partial<RequestQueue> = {
    maybeThrottle: () => undefined,
    push: (pushed) => {
      const { entry, sendRequest } = pushed as PushedRequest;
      sendRequest();
      entry.resolve((async () => ({ payload: await answer(sent) }))());
    },
  };
  const connection = {
    requestQueue,
    socket: { write: (bytes: Buffer) => (sent = bytes) },
    clientId: 'client',
    sasl: null,
    isConnected: () => true,
    failIfNotConnected: () => undefined,
    nextCorrelationId: () => 7,
    ...connected,
  };
  Object.assign(broker, {
    isConnected: () => true,
    versions: { 3: { maxVersion: 12 } },
    connectionPool: { pool: [connection, connection] },
  });
  fetchWithinBudget({ ...loadInternals(), broker });
  return broker;
}

interface PushedRequest {
  readonly entry: { readonly resolve: (answered: Promise<{ readonly payload: Buffer }>) => void };
  readonly sendRequest: () => void;
}

interface AnsweredPartition {
  readonly partition?: number;
  readonly errorCode?: number;
  readonly end?: number;
  readonly aborted?: readonly { readonly producerId: number; readonly firstOffset: number }[];
  readonly preferredReplica?: number;
  readonly records?: Buffer;
}

/** Encodes an answer about partitions of one topic. */
export function encodeAnswer(partitions: readonly AnsweredPartition[], { errorCode = 0, name = 'topic' } = {}): Buffer {
  const topic = Buffer.from(name);
  const header = [int32(0), int16(errorCode), int32(0), int32(1), int16(topic.length), topic, int32(partitions.length)];
  return Buffer.concat([...header, ...partitions.flatMap(encodePartition)]);
}

function encodePartition(answered: AnsweredPartition, index: number): readonly Buffer[] {
  const { partition = index, errorCode: error = 0, end = 0, aborted = [] } = answered;
  const { preferredReplica = -1, records = Buffer.alloc(0) } = answered;
  const transactions = aborted.flatMap(({ producerId, firstOffset }) => [int64(producerId), int64(firstOffset)]);
  const before = [int32(partition), int16(error), int64(end), int64(end), int64(0), int32(aborted.length)];
  return [...before, ...transactions, int32(preferredReplica), int32(records.length), records];
}

export function int64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(BigInt(value));
  return buffer;
}

/** Returns a request for these partitions of one topic, by their offsets. */
export function requestFor(offsets: readonly number[]) {
  const partitions = offsets.map((fetchOffset, partition) => ({ topic: 'topic', partition, fetchOffset, maxBytes: 1 }));
  return { maxWaitTime: 1, minBytes: 1, maxBytes: 1, includesEmpty: true, partitions };
}
