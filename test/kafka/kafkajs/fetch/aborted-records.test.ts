import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readableRecords } from '../../../../src/kafka/kafkajs/fetch/aborted-records.ts';
import { answeringBroker, requestFor } from './answering-broker.ts';
import { TransactionLog, type ReadRecord } from './transaction-log.ts';

/** Reads the log like all readers: fetches through a broker, and takes what is readable of each answer. */
async function readFrom(log: TransactionLog, from: number, maxBatches: number): Promise<readonly ReadRecord[]> {
  let position = from;
  const broker = answeringBroker(() => log.fetch(position, maxBatches));
  const read: ReadRecord[] = [];
  while (position < log.lastStableOffset) {
    const [data] = await broker.fetchRecords(requestFor([position]));
    const last = data?.messages.at(-1);
    if (data === undefined || last === undefined) break;
    read.push(...readableRecords(data).map(({ offset, key }) => ({ offset: Number(offset), key })));
    position = Number(last.offset) + 1;
  }
  return read;
}

const int32 = (value: number): Buffer => Buffer.from([0, 0, 0, value]);

const transactional = fc.integer({ min: 1, max: 4 });
const key = fc.constantFrom(null, ...[0, 1, 2].map(int32), Buffer.alloc(0), Buffer.from('text'));
const written = {
  records: fc.array(fc.record({ key, kept: fc.boolean() }), { minLength: 1, maxLength: 4 }),
  isCompressed: fc.boolean(),
};
const plain = fc.record({ kind: fc.constant('plain'), producerId: fc.constantFrom(-1, 1), ...written });
const inTransaction = fc.record({ kind: fc.constant('write'), producerId: transactional, ...written });
const end = fc.record({ kind: fc.constantFrom('commit', 'abort'), producerId: transactional });
const otherControl = fc.record({
  kind: fc.constant('control'),
  producerId: fc.constantFrom(-1, 1),
  type: fc.integer({ min: 2, max: 6 }),
});
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: inTransaction },
    { weight: 4, arbitrary: end },
    { weight: 1, arbitrary: plain },
    { weight: 1, arbitrary: otherControl },
  ),
  { maxLength: 40, size: 'max' },
);
const share = fc.double({ min: 0, max: 1, noNaN: true });

it('any log is read without what was not committed, from any offset, in answers of any size', async () => {
  await fc.assert(
    fc.asyncProperty(steps, share, fc.integer({ min: 1, max: 8 }), async (taken, startShare, maxBatches) => {
      const log = new TransactionLog();
      for (const step of taken) apply(log, step);
      const from = Math.floor(startShare * log.lastStableOffset);
      expect(await readFrom(log, from, maxBatches)).toEqual(log.committedFrom(from));
    }),
    { numRuns: 500 },
  );
});

type Written = Parameters<TransactionLog['write']>[1];

type Step =
  | {
      readonly kind: 'write' | 'plain';
      readonly producerId: number;
      readonly records: Written;
      readonly isCompressed: boolean;
    }
  | { readonly kind: 'commit' | 'abort'; readonly producerId: number }
  | { readonly kind: 'control'; readonly producerId: number; readonly type: number };

function apply(log: TransactionLog, step: Step): void {
  const { producerId } = step;
  switch (step.kind) {
    case 'write':
      return log.write(producerId, step.records, step.isCompressed);
    case 'plain':
      return log.writePlain(producerId, step.records, step.isCompressed);
    case 'commit':
    case 'abort':
      return log.end(producerId, { committed: step.kind === 'commit' });
    case 'control':
      return log.writeControl(producerId, step.type);
  }
}
