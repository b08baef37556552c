import type { RecordRun } from '../../../src/flow/partition.ts';
import type { OwnerPart } from '../../../src/flow/delivery-run.ts';
import { occupation, type Occupation } from '../../../src/flow/occupation.ts';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import type { AssignmentContext, Handled, RecordContext } from '../../../src/pipeline/ports.ts';

/** The context of a record, without what becomes of it. */
export type StartContext = Omit<RecordContext, 'end' | 'fail'>;

/** Resolves to what becomes of a record that is handled in this context, or rejects if it fails. */
export async function handledIn(context: StartContext, handle: (context: RecordContext) => unknown): Promise<Handled> {
  return new Promise((end, fail) => {
    handle({
      inLogSince: context.inLogSince,
      get revoked() {
        return context.revoked;
      },
      get isCutOff() {
        return context.isCutOff;
      },
      stillOwned: () => context.stillOwned(),
      noteHold: (ms) => context.noteHold(ms),
      start: (deliveries) => context.start(deliveries),
      end,
      fail,
    });
  });
}

/**
 * Builds the context of a record of that assignment. Starts each delivery at once. Adds what the deliveries
 * report to `calls`.
 */
export function aRecordContext(
  assignment: AssignmentContext = new Assignment({}),
  { calls, inLogSince = Number.POSITIVE_INFINITY }: { readonly calls?: string[]; readonly inLogSince?: number } = {},
): StartContext {
  return {
    inLogSince,
    get revoked() {
      return assignment.revoked;
    },
    get isCutOff() {
      return assignment.isCutOff;
    },
    stillOwned: () => assignment.stillOwned(),
    noteHold: (ms) => void calls?.push(`held for ${ms} ms`),
    start: (deliveries) => {
      while (deliveries.hasNext) deliveries.startNext(anOwner(calls, untilWritten));
    },
  };
}

/** Lets deliveries of both pools leave the window when they are written, so that it shows. */
const untilWritten: Occupation = { ...occupation, writing: { window: 'none' } };

/** Builds the owner of deliveries. Adds the changes of its counts to `calls`. */
export function anOwner(calls: string[] = [], occupied: Occupation = occupation): OwnerPart {
  return {
    occupation: occupied,
    count: (deliveries, active, outside) => {
      if (outside !== 0) calls.push(outside > 0 ? 'outside the room' : 'in the room');
      if (active < 0 && deliveries === 0) calls.push('leaves the window');
      if (deliveries < 0) calls.push('ended');
    },
    wake: () => undefined,
  };
}

/** Builds the context of a record that flow control holds until it ends, in an assignment that never ends. */
export function aHeldRecordContext(held: RecordRun): RecordContext {
  return {
    inLogSince: Number.POSITIVE_INFINITY,
    revoked: false,
    isCutOff: false,
    stillOwned: () => true,
    noteHold: (ms) => held.noteHold(ms),
    start: (deliveries) => held.start(deliveries),
    end: () => held.release(),
    fail: () => held.release(),
  };
}
