import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kafkaErrorType } from '../../../../src/kafka/client/faults.ts';
import { encodeFetch } from '../../../../src/kafka/kafkajs/fetch/fetch-protocol.ts';
import type { AskedPartition } from '../../../../src/kafka/kafkajs/internals.ts';
import { networkError } from '../scripted.ts';
import { answeringBroker, encodeAnswer, requestFor } from './answering-broker.ts';

interface Encoded {
  readonly buffer: Buffer;
}

interface OriginalRequest {
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly object[] }[];
}

const require = createRequire(import.meta.url);
const originalRequest: (
  request: OriginalRequest & Readonly<Record<string, unknown>>,
) => object = require('kafkajs/src/protocol/requests/fetch/v11/request');
const originalFrame: (framed: object) => Promise<Encoded> = require('kafkajs/src/protocol/request');

/** Consecutive partitions of one topic. */
function byTopic(partitions: readonly AskedPartition[]): OriginalRequest['topics'] {
  const topics: { topic: string; partitions: object[] }[] = [];
  for (const { topic, partition, fetchOffset, maxBytes } of partitions) {
    if (topics.at(-1)?.topic !== topic) topics.push({ topic, partitions: [] });
    topics.at(-1)?.partitions.push({ partition, fetchOffset: String(fetchOffset), maxBytes });
  }
  return topics;
}

const int32 = fc.nat({ max: 2 ** 31 - 1 });
const asked = fc.record({
  topic: fc.constantFrom('completed', 'expired', 'retry.10s'),
  partition: int32,
  fetchOffset: fc.oneof(fc.maxSafeNat(), int32),
  maxBytes: int32,
});

it('a request has the bytes of kafkajs, with its partitions from any of them on', async () => {
  const limits = fc.record({ maxWaitTime: int32, minBytes: int32, maxBytes: int32 });
  const header = fc.record({ correlationId: int32, clientId: fc.string() });
  const partitions = fc.array(asked, { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(limits, header, partitions, fc.nat(), async (limited, head, all, start) => {
      const first = start % all.length;
      const rotated = [...all.slice(first), ...all.slice(0, first)];
      const request = originalRequest({ ...limited, replicaId: -1, topics: byTopic(rotated) });
      const { buffer } = await originalFrame({ ...head, request });
      const encoded = encodeFetch({ ...limited, includesEmpty: true, partitions: all }, first, head);
      expect(encoded.toString('hex')).toBe(buffer.toString('hex'));
    }),
  );
});

it('each partition is the first one of a request as often as others, however many readers take turns', async () => {
  const request = requestFor(Array.from({ length: 6 }, () => 0));
  // After the frames of the request and of its topic.
  const partitionAt = encodeFetch(request, 0, { correlationId: 7, clientId: 'client' }).length - 6 - 6 * 28;
  const firsts: number[] = [];
  const broker = answeringBroker((bytes) => {
    firsts.push(bytes.readInt32BE(partitionAt));
    return encodeAnswer([]);
  });
  for (let requests = 0; requests < 1200; requests += 1) await broker.fetchRecords(request);
  for (const readers of [1, 2, 3, 4, 5, 6]) {
    const ofOne = firsts.filter((_, index) => index % readers === 0);
    const counts = [...Map.groupBy(ofOne, (first) => first).values()].map(({ length }) => length);
    expect(counts).toHaveLength(6);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(6);
  }
});

describe('an answer', () => {
  it('has the partitions that were asked for, in any order, with their ends and another broker', async () => {
    const partitions = [
      { partition: 2, end: 2 ** 40 + 1 },
      { partition: 9 },
      { partition: 0, end: 5, preferredReplica: 3 },
    ];
    const [broker, elsewhere] = [
      answeringBroker(() => encodeAnswer(partitions)),
      answeringBroker(() => encodeAnswer(partitions, { name: 'other' })),
    ];
    const found = await broker.fetchRecords(requestFor([4, 5, 6]));
    expect(found).toMatchObject([
      { asked: { partition: 2, fetchOffset: 6 }, highWatermark: 2 ** 40 + 1, preferredReadReplica: -1 },
      { asked: { partition: 0, fetchOffset: 4 }, lastStableOffset: 5, preferredReadReplica: 3 },
    ]);
    const named = await broker.fetchRecords({ ...requestFor([4, 5, 6]), includesEmpty: false });
    expect(named.map((data) => data.asked.partition)).toEqual([0]);
    expect(await elsewhere.fetchRecords(requestFor([4]))).toEqual([]);
  });

  it.each([
    ['of a partition', encodeAnswer([{}, { errorCode: 1 }, { errorCode: 6 }]), 'OFFSET_OUT_OF_RANGE'],
    [
      'of a partition that was not asked for',
      encodeAnswer([{ partition: 7, errorCode: 29 }]),
      'TOPIC_AUTHORIZATION_FAILED',
    ],
    ['of the request as a whole', encodeAnswer([], { errorCode: 42 }), 'INVALID_REQUEST'],
  ])('rejects with the error %s', async (_, answer, type) => {
    const broker = answeringBroker(() => answer);
    const error = await broker.fetchRecords(requestFor([0, 0, 0])).catch((thrown: unknown) => thrown);
    expect(kafkaErrorType(error)).toBe(type);
  });

  it('rejects when it ends too early', async () => {
    const answer = encodeAnswer([{ end: 1 }]);
    const broker = answeringBroker(() => answer.subarray(0, -9));
    await expect(broker.fetchRecords(requestFor([0]))).rejects.toThrow(RangeError);
  });

  it('says for how long the broker wants no request', async () => {
    const throttled: number[] = [];
    const broker = answeringBroker(() => {
      const answer = encodeAnswer([]);
      answer.writeInt32BE(321);
      return answer;
    });
    const [, { requestQueue }] = broker.connectionPool.pool;
    requestQueue.maybeThrottle = (ms) => void throttled.push(ms);
    await broker.fetchRecords(requestFor([0]));
    expect(throttled).toEqual([321]);
  });
});

describe('the connection for fetches', () => {
  it('is opened, and logs in, before a request needs it', async () => {
    const calls: string[] = [];
    const broker = answeringBroker(() => encodeAnswer([]), {
      sasl: {},
      isConnected: () => calls.includes('connect'),
      isAuthenticated: () => false,
      connect: async () => void calls.push('connect'),
      authenticate: async () => void calls.push('authenticate'),
      failIfNotConnected: () => void calls.push('send'),
    });
    await broker.fetchRecords(requestFor([0]));
    expect(calls).toEqual(['connect', 'authenticate', 'send']);
  });

  it('is closed with the other one when the broker closes it', async () => {
    const broker = answeringBroker(() => Promise.reject(networkError()));
    let closed = 0;
    broker.disconnect = async () => void (closed += 1);
    await expect(broker.fetchRecords(requestFor([0]))).rejects.toThrow('KafkaJSConnectionClosedError');
    expect(closed).toBe(1);
  });
});
