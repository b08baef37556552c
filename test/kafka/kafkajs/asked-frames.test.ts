import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kafkaErrorType } from '../../../src/kafka/client/faults.ts';
import { encodeListOffsets, latest, listOffsets } from '../../../src/kafka/kafkajs/list-offsets.ts';
import { encodeTopicsRequest } from '../../../src/kafka/kafkajs/topic-states.ts';
import { int16, int32 } from '../../support/kafka/raw-batch.ts';
import { answeringBroker, int64 } from './fetch/answering-broker.ts';
import { scriptedCluster } from './scripted.ts';

interface OriginalEncoder {
  readonly buffer: Buffer;
  writeBuffer(bytes: Buffer): OriginalEncoder;
  writeBoolean(value: boolean): OriginalEncoder;
  writeUVarInt(value: number): OriginalEncoder;
  writeUVarIntString(value: string): OriginalEncoder;
  writeUVarIntArray(items: readonly OriginalEncoder[] | null): OriginalEncoder;
}

const require = createRequire(import.meta.url);
const frameOf: (framed: object) => Promise<OriginalEncoder> = require('kafkajs/src/protocol/request');
const requestOffsets: (request: object) => object = require('kafkajs/src/protocol/requests/listOffsets/v3/request');
const Encoder: new () => OriginalEncoder = require('kafkajs/src/protocol/encoder');

const int32s = fc.nat({ max: 2 ** 31 - 1 });
const headers = fc.record({ correlationId: int32s, clientId: fc.string() });
const names = fc.string({ maxLength: 300 });

describe('a request has the bytes of kafkajs', () => {
  it('for offsets', async () => {
    const times = fc.oneof(fc.constantFrom(-2, -1), fc.maxSafeNat());
    await fc.assert(
      fc.asyncProperty(
        headers,
        names,
        fc.array(int32s),
        times,
        fc.boolean(),
        async (header, topic, ids, time, flag) => {
          const partitions = ids.map((partition) => ({ partition, timestamp: String(time) }));
          const isolationLevel = flag ? 1 : 0;
          const request = requestOffsets({ replicaId: -1, isolationLevel, topics: [{ topic, partitions }] });
          const { buffer } = await frameOf({ ...header, request });
          const encoded = encodeListOffsets(ids, { topic, time, readsCommitted: flag }, header);
          expect(encoded.toString('hex')).toBe(buffer.toString('hex'));
        },
      ),
    );
  });

  it('for the states of topics, or of all', async () => {
    const topics = fc.option(fc.array(names, { maxLength: 150 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(headers, topics, async (header, asked) => {
        const named = asked?.map((topic) =>
          new Encoder().writeBuffer(Buffer.alloc(16)).writeUVarIntString(topic).writeUVarInt(0),
        );
        const body = new Encoder().writeUVarInt(0).writeUVarIntArray(named ?? null);
        body.writeBoolean(false).writeBoolean(false).writeBoolean(true).writeUVarInt(0);
        const request = { apiKey: 3, apiVersion: 10, encode: async () => body };
        const { buffer } = await frameOf({ ...header, request });
        expect(encodeTopicsRequest(asked, header).toString('hex')).toBe(buffer.toString('hex'));
      }),
    );
  });
});

interface AnsweredOffset {
  readonly partition: number;
  readonly offset?: number;
  readonly errorCode?: number;
}

/** Encodes an answer about one topic. */
function offsetsAnswer(answered: readonly AnsweredOffset[]): Buffer {
  const partitions = answered.flatMap(({ partition, offset = 0, errorCode = 0 }) => [
    int32(partition),
    int16(errorCode),
    int64(-1),
    int64(offset),
  ]);
  return Buffer.concat([int32(0), int32(1), int16(1), Buffer.from('t'), int32(answered.length), ...partitions]);
}

describe('offsets', () => {
  /** Asks two brokers, the first of which leads partitions 0 and 2, and the second partition 1. */
  async function ask(answers: readonly [Buffer, Buffer], time = latest): Promise<ReadonlyMap<number, number>> {
    const [one, two] = answers.map((answer) => answeringBroker(() => answer));
    const found: string[] = [];
    const cluster = scriptedCluster({
      brokerPool: Object.assign(Object.create(null), { brokers: { 1: one } }),
      findBroker: async ({ nodeId }) => {
        found.push(nodeId);
        return two ?? Object.create(null);
      },
    });
    const leaders = new Map([0, 1, 2].map((partition) => [partition, 1 + (partition % 2)]));
    const offsets = await listOffsets(cluster, [0, 1, 2], { topic: 't', leaders, time });
    // The first one is connected.
    expect(found).toEqual(['2']);
    return offsets;
  }

  it('come from the leader of each partition, in any order, beyond 32 bits', async () => {
    const first = offsetsAnswer([
      { partition: 2, offset: 2 ** 40 + 3 },
      { partition: 0, offset: -1 },
    ]);
    const offsets = await ask([first, offsetsAnswer([{ partition: 1, offset: 7 }])], 0);
    expect(new Map(offsets)).toEqual(new Map([0, 1, 2].map((id) => [id, [-1, 7, 2 ** 40 + 3][id]])));
  });

  it.each([
    ['has an error', offsetsAnswer([{ partition: 0 }, { partition: 2, errorCode: 6 }]), 'NOT_LEADER_FOR_PARTITION'],
    ['lacks a partition', offsetsAnswer([{ partition: 0 }]), 'no offset of t/2'],
    ['knows no end', offsetsAnswer([{ partition: 0 }, { partition: 2, offset: -1 }]), 'no offset of t/2'],
    ['has no topic', Buffer.alloc(8), 'no offset of t/0'],
    ['is cut off', offsetsAnswer([{ partition: 0 }, { partition: 2 }]).subarray(0, -1), 'out of range'],
  ])('are refused when an answer %s', async (_, answer, problem) => {
    const error: unknown = await ask([answer, offsetsAnswer([{ partition: 1 }])]).catch((thrown: unknown) => thrown);
    expect(`${kafkaErrorType(error)} ${String(error)}`).toContain(problem);
  });
});
