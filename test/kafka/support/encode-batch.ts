import { createRequire } from 'node:module';

interface Encoded {
  readonly buffer: Buffer;
}

/** Encodes a record batch as a producer of kafkajs does, with the encoder of records that is in use. */
export async function encodeBatch(records: readonly object[], batch: object = {}): Promise<Buffer> {
  const require = createRequire(import.meta.url);
  const encodeRecord: (record: object) => Encoded = require('kafkajs/src/protocol/recordBatch/record/v0');
  const {
    RecordBatch,
  }: { RecordBatch: (batch: object) => Promise<Encoded> } = require('kafkajs/src/protocol/recordBatch/v0');
  return (await RecordBatch({ ...batch, records: records.map(encodeRecord) })).buffer;
}
