import type { CircuitPolicy } from '../../flow/limits.ts';
import { forNextAttempt } from '../../deliveries/attempt-result.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import { Circuit } from '../../flow/circuit.ts';
import type { Outcome } from '../../deliveries/outcome.ts';
import type { Schedule } from '../../deliveries/schedule.ts';
import { settle, type DeliveryDeadReason } from '../../deliveries/settle.ts';
import { formatDuration } from '../../lib/units.ts';

interface ForecastOptions {
  readonly schedule: Schedule;
  readonly circuit: CircuitPolicy;
  /** The time when the outcome was known. */
  readonly now: number;
}

/**
 * Says what the service would do after this outcome, by the functions with which it decides, if all attempts end like this one.
 * The loop ends: each settlement has a later due time, and none is later than the greatest age allows.
 */
export function forecast(delivery: Delivery, outcome: Outcome, options: ForecastOptions): readonly string[] {
  const waitsMs: number[] = [];
  let current = delivery;
  let isCounted = true;
  for (let { now } = options; ;) {
    const settlement = settle(current, outcome, options.schedule, now);
    if (settlement.kind === 'done') return ['The service would count this as delivered, and not send it again.'];
    if (settlement.kind === 'dead')
      return [retriesText(isCounted, waitsMs, settlement.reason), ...circuitText(outcome, options.circuit)];
    isCounted = settlement.kind === 'retry';
    waitsMs.push(settlement.dueAt - now);
    current = forNextAttempt(current, settlement);
    now = settlement.dueAt;
  }
}

const deadReasons: Readonly<Record<DeliveryDeadReason, string>> = {
  exhausted: 'its attempts are exhausted',
  expired: 'it is too old by then',
  too_large: 'it is too large',
};

/** Says when the attempts follow, and how the delivery ends. `isCounted` is false if the outcome counts as no attempt. */
function retriesText(isCounted: boolean, waitsMs: readonly number[], reason: DeliveryDeadReason): string {
  const [first, ...others] = waitsMs.map(durationInWords);
  const end = `dead-letter it, because ${deadReasons[reason]}`;
  if (first === undefined) return `The service would ${end}.`;
  const next = isCounted
    ? `The service would retry this in ${first}`
    : `The fault is on this side, so the service would count no attempt. It would try again in ${first}`;
  const then = others.length === 0 ? '' : `, then after ${listed(others)}`;
  return `${next}${then}, and then ${end}, if each attempt ends like this one.`;
}

function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Says for how long this outcome alone opens the circuit of an endpoint that worked before. */
function circuitText(outcome: Outcome, policy: CircuitPolicy): readonly string[] {
  const circuit = new Circuit(policy);
  circuit.ended(outcome, false, 0);
  const openForMs = circuit.openUntil(0);
  if (openForMs === undefined) return [];
  return [`Its circuit would open: for ${durationInWords(openForMs)}, nothing else would be sent to this endpoint.`];
}

/** Formats `600000` as `10 min`. */
export function durationInWords(durationMs: number): string {
  return formatDuration(Math.round(durationMs)).replace(/\d+/, '$& ').replace(/ m$/, ' min');
}
