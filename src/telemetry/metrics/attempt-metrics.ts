import { isAttempt } from '../../deliveries/outcome.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { DeliveryAttempted } from '../../pipeline/pipeline-events.ts';
import type { Metrics } from './metrics.ts';
import { statusClass } from './status-class.ts';

/** Updates the metrics of one attempt. An outcome that does not count as an attempt changes nothing. */
export function observeAttempt(metrics: Metrics, attempted: DeliveryAttempted): void {
  const { delivery, outcome, startedAt, durationMs, from } = attempted;
  if (!isAttempt(outcome)) return;
  const isFirst = delivery.attempt === 1;
  metrics.deliveryAttempts.inc({
    outcome: outcome.kind,
    status_class: statusClass('status' in outcome ? outcome.status : undefined),
    attempt: isFirst ? 'first' : 'retry',
  });
  metrics.deliveryDuration.observe({ outcome: outcome.kind }, durationMs / 1000);
  if (from !== undefined) metrics.retryLateness.observe({ tier: from.tier }, seconds(from.dueAt, startedAt));
  if (isFirst) observeAge(metrics.queueDelay, delivery, startedAt);
  if (outcome.kind === 'delivered') observeAge(metrics.deliveryLatency, delivery, startedAt + durationMs);
}

/** A record without a timestamp has no age. */
function observeAge(histogram: Metrics['queueDelay'], { source, eventType }: Delivery, at: number): void {
  if (source.timestamp !== undefined) histogram.observe({ event_type: eventType }, seconds(source.timestamp, at));
}

/** Returns at least 0, because the clocks of machines differ. */
function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
