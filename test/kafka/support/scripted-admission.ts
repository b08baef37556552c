import { setImmediate } from 'node:timers/promises';
import type { FetchedBatch } from '../../../src/kafka/client/consumer.ts';
import type { FullRecord } from '../../../src/kafka/client/topic-log.ts';
import type { SourceRecord } from '../../../src/certificates/record.ts';
import { Admission, type Intake } from '../../../src/kafka/consumer/admission.ts';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import type { Handled, RecordContext } from '../../../src/pipeline/ports.ts';
import { aFlowControl } from '../../support/service/flow-control.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

/** Makes the record at this offset unreadable until `open` is called. */
export function unreadableAt(offset: number) {
  const opened = Promise.withResolvers<undefined>();
  let isOpen = false;
  return {
    whenReadable: (record: SourceRecord) => (record.offset === offset && !isOpen ? opened.promise : undefined),
    open: async () => {
      isOpen = true;
      opened.resolve(undefined);
      await setImmediate();
    },
  };
}

interface Handling {
  readonly offset: number;
  readonly context: RecordContext;
}

interface Overrides {
  readonly maxRecords?: number;
  readonly maxSpan?: number;
  readonly whenReadable?: Intake['whenReadable'];
  readonly window?: number;
}

/** Starts an admission whose records stay in flight until the test settles them or makes them fail. */
export function startAdmission({ whenReadable = () => undefined, ...overrides }: Overrides = {}) {
  const handled: Handling[] = [];
  let isReading = true;
  const calls: string[] = [];
  const broken: Error[] = [];
  const skipped: string[] = [];
  const intake: Intake = {
    whenReadable,
    handle: ({ offset }: SourceRecord, context: RecordContext) => void handled.push({ offset, context }),
    drain: () => undefined,
    abort: () => undefined,
    open: () => undefined,
    recordConsumed: () => undefined,
    recordSettled: () => undefined,
    recordsSkipped: (topic, records) => void skipped.push(`${topic} ${records}`),
  };
  const clock = new ManualClock();
  const flow = aFlowControl(clock, { maxRecords: 100, maxBytes: 1e6, maxSpan: 1000, ...overrides });
  const admission = new Admission({
    intake,
    flow,
    clock,
    isReading: () => isReading,
    pause: ({ topic, partition }) => void calls.push(`pause ${topic}/${partition}`),
    resume: ({ topic, partition }) => void calls.push(`resume ${topic}/${partition}`),
    onBroken: (error) => void broken.push(error),
  });
  admission.begin(new Assignment({ completed: [0, 1] }));
  const take = (offset: number): Handling | undefined => {
    const index = handled.findIndex((handling) => handling.offset === offset);
    return handled.splice(index, 1)[0];
  };
  return {
    admission,
    clock,
    /** Records in flight. */
    handled,
    offsets: () => handled.map(({ offset }) => offset),
    stopReading: () => void (isReading = false),
    /** Calls to pause and resume, in order. */
    calls,
    broken,
    skipped,
    pausedBy: (partition = 0) => admission.assignment.get('completed', partition)?.pausedBy,
    position: () => admission.assignment.toCommit(4096)?.offsets.topics[0]?.partitions[0]?.offset,
    /** Settles a record, and runs the turns of the event loop that follow. */
    settle: async (offset: number, result: Handled) => {
      take(offset)?.context.end(result);
      await clock.advance(0);
    },
    fail: async (offset: number, error: Error) => {
      take(offset)?.context.fail(error);
      await clock.advance(0);
    },
  };
}

export function aBatch(start: number, count: number, partition = 0, valueBytes = 1): FetchedBatch {
  const messages = Array.from({ length: count }, (_, index) => aMessage(start + index, valueBytes));
  return {
    topic: 'completed',
    partition,
    highWatermark: start + count,
    messages,
    lastOffset: () => String(start + count - 1),
  };
}

function aMessage(offset: number, valueBytes: number): FullRecord {
  return {
    key: Buffer.from('k'),
    value: Buffer.alloc(valueBytes),
    timestamp: '1',
    offset: String(offset),
    headers: [],
  };
}
