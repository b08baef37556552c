import { BrokerError } from '../../../simulation/broker/errors.ts';
import type { TopicPartition } from '../../../simulation/broker/memory-broker.ts';
import type { PartitionLog } from '../../../simulation/broker/partition-log.ts';
import { api, attempt, inTurn, type Api, type Served } from './api.ts';
import {
  array,
  bytes,
  int16,
  int32,
  int64,
  int8,
  nullableBytes,
  nullableString,
  string,
  struct,
  unthrottled,
  type Field,
} from './fields.ts';
import { decodeBatches } from './stored-batches.ts';

/** Returns the requests that write, read and delete records. */
export function recordApis(served: Served): readonly Api[] {
  return [produce(served), fetch(served), listOffsets(served), deleteRecords(served)];
}

/** Topics, each with something about some of its partitions. */
function byTopic<Partition extends object>(fields: { readonly [Name in keyof Partition]: Field<Partition[Name]> }) {
  return array(struct({ name: string, partitions: array(struct<Partition>(fields)) }));
}

/** Answers each partition of each topic, one after the other. */
async function answerEach<Request extends { readonly partition: number }, Answer>(
  topics: readonly { readonly name: string; readonly partitions: readonly Request[] }[],
  answer: (request: Request & TopicPartition) => Promise<Answer>,
): Promise<readonly { readonly name: string; readonly partitions: readonly Answer[] }[]> {
  return inTurn(topics, async ({ name, partitions }) => ({
    name,
    partitions: await inTurn(partitions, (request) => answer({ ...request, topic: name })),
  }));
}

function produce(served: Served): Api {
  return api({
    key: 0,
    version: 7,
    request: struct({
      transactionalId: nullableString,
      acks: int16,
      timeoutMs: int32,
      topics: byTopic({ partition: int32, records: bytes }),
    }),
    answer: struct({
      topics: byTopic({
        partition: int32,
        errorCode: int16,
        baseOffset: int64,
        logAppendTime: int64,
        logStartOffset: int64,
      }),
      throttleMs: int32,
    }),
    async serve({ acks, topics }) {
      const answers = await answerEach(topics, async (request) => {
        const { errorCode, value = -1 } = await attempt(() => append(served, request));
        return { partition: request.partition, errorCode, baseOffset: value, logAppendTime: -1, logStartOffset: -1 };
      });
      return acks === 0 ? undefined : { topics: answers, throttleMs: 0 };
    },
  });
}

/** Appends all batches. Returns the offset of the first record. */
async function append(
  { broker, batches, settings }: Served,
  { topic, partition, records }: TopicPartition & { readonly records: Buffer },
): Promise<number> {
  const target = { topic, partition };
  const log = broker.log(target);
  const bases: number[] = [];
  for (const batch of await decodeBatches(records)) {
    if (batch.bytes.length > Number(settings.of(topic, 'max.message.bytes')))
      throw new BrokerError('MESSAGE_TOO_LARGE');
    const isCompacted = settings.of(topic, 'cleanup.policy').includes('compact');
    if (isCompacted && batch.records.some(({ key }) => key === null)) throw new BrokerError('INVALID_RECORD');
    const base = broker.append(target, batch.records);
    // The readers that the broker has woken continue after this turn.
    batches.add(log, base, batch);
    bases.push(base);
  }
  return bases[0] ?? log.end;
}

function fetch(served: Served): Api {
  return api({
    key: 1,
    version: 11,
    request: struct({
      replicaId: int32,
      maxWaitMs: int32,
      minBytes: int32,
      maxBytes: int32,
      isolationLevel: int8,
      sessionId: int32,
      sessionEpoch: int32,
      topics: byTopic({
        partition: int32,
        leaderEpoch: int32,
        from: int64,
        logStartOffset: int64,
        maxBytes: int32,
      }),
      forgottenTopics: array(struct({ name: string, partitions: array(int32) })),
      rackId: string,
    }),
    answer: unthrottled(
      struct({
        errorCode: int16,
        sessionId: int32,
        topics: byTopic({
          partition: int32,
          errorCode: int16,
          highWatermark: int64,
          lastStableOffset: int64,
          logStartOffset: int64,
          abortedTransactions: array(struct({ producerId: int64, firstOffset: int64 })),
          preferredReadReplica: int32,
          records: nullableBytes,
        }),
      }),
    ),
    async serve({ maxWaitMs, minBytes, maxBytes, topics }) {
      const positions = topics.flatMap(({ name, partitions }) => partitions.map((one) => ({ ...one, topic: name })));
      // A topic that is unknown, or is deleted in the meantime, ends the wait.
      await attempt(() => served.broker.fetch(positions, { minBytes, maxWaitMs, maxRecordsPerPartition: 1 }));
      let left = maxBytes;
      const answers = await answerEach(topics, async (request) => {
        const limits = { maxBytes: Math.min(left, request.maxBytes), atLeastOne: left === maxBytes };
        const { errorCode, value } = await attempt(() => readPartition(served, request, limits));
        left -= value?.records.length ?? 0;
        const { end = -1, stableEnd = -1, start = -1, records = null } = value ?? {};
        return {
          partition: request.partition,
          errorCode,
          highWatermark: end,
          lastStableOffset: stableEnd,
          logStartOffset: start,
          abortedTransactions: [],
          preferredReadReplica: -1,
          records,
        };
      });
      return { errorCode: 0, sessionId: 0, topics: answers };
    },
  });
}

function readPartition(
  { broker, batches }: Served,
  request: TopicPartition & { readonly from: number },
  limits: { readonly maxBytes: number; readonly atLeastOne: boolean },
): Pick<PartitionLog, 'start' | 'end' | 'stableEnd'> & { readonly records: Buffer } {
  const log = broker.log(request);
  const { start, end, stableEnd } = log;
  if (request.from < start || request.from > end) throw new BrokerError('OFFSET_OUT_OF_RANGE');
  return { start, end, stableEnd, records: log.isWithheld ? Buffer.alloc(0) : batches.read(log, request.from, limits) };
}

/** The values of a timestamp that ask for an end of the log. */
const latest = -1;
const earliest = -2;
const readCommitted = 1;

function listOffsets({ broker }: Served): Api {
  return api({
    key: 2,
    version: 3,
    request: struct({
      replicaId: int32,
      isolationLevel: int8,
      topics: byTopic({ partition: int32, timestamp: int64 }),
    }),
    answer: unthrottled(
      struct({ topics: byTopic({ partition: int32, errorCode: int16, timestamp: int64, offset: int64 }) }),
    ),
    async serve({ topics, isolationLevel }) {
      const answers = await answerEach(topics, async (request) => {
        const { errorCode, value } = await attempt(() => {
          const log = broker.log(request);
          const end = isolationLevel === readCommitted ? log.stableEnd : log.end;
          return findOffset(log, request.timestamp, end);
        });
        return { partition: request.partition, errorCode, timestamp: -1, offset: -1, ...value };
      });
      return { topics: answers };
    },
  });
}

function findOffset(log: PartitionLog, timestamp: number, end: number) {
  if (timestamp === latest) return { offset: end };
  if (timestamp === earliest) return { offset: log.start };
  const found = log.records.find((record) => record.timestamp >= timestamp);
  return found && { offset: found.offset, timestamp: found.timestamp };
}

function deleteRecords({ broker, batches }: Served): Api {
  return api({
    key: 21,
    version: 1,
    request: struct({ topics: byTopic({ partition: int32, before: int64 }), timeoutMs: int32 }),
    answer: unthrottled(struct({ topics: byTopic({ partition: int32, lowWatermark: int64, errorCode: int16 }) })),
    async serve({ topics }) {
      const answers = await answerEach(topics, async (request) => {
        const { errorCode, value = -1 } = await attempt(() => {
          const log = broker.log(request);
          const before = request.before === latest ? log.end : request.before;
          if (before > log.end) throw new BrokerError('OFFSET_OUT_OF_RANGE');
          log.deleteBefore(before);
          batches.trim(log);
          return log.start;
        });
        return { partition: request.partition, lowWatermark: value, errorCode };
      });
      return { topics: answers };
    },
  });
}
