import { FlowControl } from '../../../src/flow/flow-control.ts';
import { maxStartsPerTurn, type FlowLimits } from '../../../src/flow/limits.ts';
import { occupation } from '../../../src/flow/occupation.ts';
import { StartTurns } from '../../../src/flow/turns.ts';
import type { Clock } from '../../../src/lib/clock.ts';

const none = Number.POSITIVE_INFINITY;

/** Limits that are never reached. */
export const unlimited: FlowLimits = {
  maxRecords: none,
  maxPending: none,
  maxDeliveries: none,
  maxBytes: none,
  maxSpan: none,
  window: none,
  sharedEqually: false,
  shortHoldMs: 0,
  occupation,
};

/** Builds the flow control of one group. Limits that are left out are not reached. */
export function aFlowControl(clock: Clock, limits: Partial<FlowLimits> = {}): FlowControl {
  return new FlowControl({ ...unlimited, ...limits }, new StartTurns(maxStartsPerTurn, clock));
}
