import type { RawRecord } from '../internals.ts';

/** Returns a fake control record for an offset without a readable record. kafkajs moves past it but does not pass it on. */
export function placeholder(offset: string): RawRecord {
  const batchContext = { producerId: '-1', inTransaction: false, isControlBatch: false };
  return { offset, key: null, value: null, headers: {}, timestamp: '-1', isControlRecord: true, batchContext };
}
