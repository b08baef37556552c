import { FlowControl } from '../../../src/backpressure/flow-control.ts';
import { maxStartsPerTurn, type FlowLimits } from '../../../src/backpressure/limits.ts';
import { StartTurns } from '../../../src/backpressure/start-turns.ts';
import type { Clock } from '../../../src/lib/clock.ts';

/** Builds the flow control of one group. Limits that are left out are not reached. */
export function aFlowControl(clock: Clock, limits: Partial<FlowLimits> = {}): FlowControl {
  const unlimited = Number.POSITIVE_INFINITY;
  return new FlowControl({
    limits: {
      maxRecords: unlimited,
      maxPending: unlimited,
      maxDeliveries: unlimited,
      maxBytes: unlimited,
      maxSpan: unlimited,
      window: unlimited,
      sharedEqually: false,
      ...limits,
    },
    turns: new StartTurns(maxStartsPerTurn, clock),
  });
}
