import { sampledTraceId } from '../../certificates/trace.ts';
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
  const traceId = sampledTraceId(delivery.trace);
  metrics.deliveryDuration.observe({ outcome: outcome.kind }, durationMs / 1000, traceId);
  if (from !== undefined) metrics.retryLateness.observe({ tier: from.tier }, seconds(from.dueAt, startedAt), traceId);
  if (isFirst) observeAge(metrics.queueDelay, delivery, { at: startedAt, traceId });
  if (outcome.kind === 'delivered')
    observeAge(metrics.deliveryLatency, delivery, { at: startedAt + durationMs, traceId });
}

/** A record without a timestamp has no age. */
function observeAge(
  histogram: Metrics['queueDelay'],
  { source, eventType }: Delivery,
  { at, traceId }: { readonly at: number; readonly traceId: string | undefined },
): void {
  if (source.timestamp === undefined) return;
  histogram.observe({ event_type: eventType }, seconds(source.timestamp, at), traceId);
}

/** Returns at least 0, because the clocks of machines differ. */
function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
