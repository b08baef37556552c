import type { HeldRecord } from '../../../src/flow/partition-counts.ts';
import type { DeliveryProgress, StartedDelivery } from '../../../src/flow/delivery-cursor.ts';
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
      while (deliveries.hasNext) deliveries.startNext(aStartedDelivery(calls));
    },
  };
}

/** Builds a delivery that flow control has started. Adds its reports to `calls`. */
export function aStartedDelivery(calls?: string[]): StartedDelivery {
  return {
    markWaiting: () => void calls?.push('waits'),
    markIdle: () => void calls?.push('needs no endpoint'),
    markOutsideRoom: (isOutside) => void calls?.push(isOutside ? 'outside the room' : 'in the room'),
    end: () => void calls?.push('ended'),
  };
}

/** Ignores all reports. */
export const ignoredProgress: DeliveryProgress = aStartedDelivery();

/** Builds the context of a record that flow control holds until it ends, in an assignment that never ends. */
export function aHeldRecordContext(held: HeldRecord): RecordContext {
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
