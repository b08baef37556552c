import { type SourceRecord, sampledTraceId, traceIds } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import { isAttempt } from '../../deliveries/outcome.ts';
import type { Settlement } from '../../deliveries/settle.ts';
import {
  attemptFacts,
  deadLetterFacts,
  deferralFacts,
  settlementFields,
  unsubscribedFacts,
  type DeliveryFacts,
} from '../../pipeline/delivery-reporter.ts';
import type { DeliveryAttempted, PipelineEvents } from '../../pipeline/ports.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { statusClass } from '../metrics/counters.ts';
import { errorFacts } from './failure-text.ts';
import { oneLine } from '../../lib/printable.ts';
import type { EventSinks } from './event-sinks.ts';

export interface DeliveryLog {
  /** Labels of the configured tiers in order, such as `10m`. The tier of a settlement is an index into this list. */
  readonly tierLabels: readonly string[];
  /** `LOG_DELIVERIES`: which attempts have a log line. */
  readonly logDeliveries: 'all' | 'failed';
}

/** Creates the events about records and deliveries. Problems that only subscribers can fix are logged at info level. */
export function createPipelineEvents(sinks: EventSinks, deliveryLog: DeliveryLog): PipelineEvents {
  return { ...recordEvents(sinks), ...deliveryEvents(sinks, deliveryLog) };
}

function recordEvents({ logger, metrics }: EventSinks) {
  return {
    recordConsumed({ topic }) {
      metrics.recordsConsumed.inc({ topic });
    },
    recordSettled(record, result) {
      metrics.recordsSettled.inc({ topic: record.topic, result });
      const { topic, partition, offset } = record;
      logger.debug({ event: 'record.settled', topic, partition, offset, result });
    },
    recordRejected(record, { reason, message }) {
      logger.warn({ event: 'record.rejected', ...positionFields(record), reason, failure: oneLine(message) });
    },
    recordFailed(record, error) {
      logger.error({ event: 'record.failed', ...positionFields(record), error: errorFacts(error) });
    },
    certificateDeviated(missingFields) {
      for (const field of missingFields) metrics.contractDeviations.inc({ field });
    },
  } satisfies Partial<PipelineEvents>;
}

function deliveryEvents({ logger, metrics }: EventSinks, { tierLabels, logDeliveries }: DeliveryLog) {
  const lineOf = deliveryLines(tierLabels);
  return {
    deliveryAttempted(attempted) {
      observeAttempt(metrics, attempted);
      const { delivery, outcome } = attempted;
      if (logDeliveries === 'failed' && outcome.kind === 'delivered') return;
      logger.info(lineOf(delivery, attemptFacts(attempted)));
    },
    deliveryDeferred(deferred) {
      const { delivery, reason } = deferred;
      metrics.deliveriesDeferred.inc({ reason });
      // The service itself causes these two, and there can be very many.
      const level = reason === 'not_due' || reason === 'draining' ? 'debug' : 'info';
      logger[level](lineOf(delivery, deferralFacts(deferred)));
    },
    deliveryUnsubscribed(delivery) {
      logger.info(lineOf(delivery, unsubscribedFacts));
    },
    deliveryDeadLettered(delivery, reason) {
      logger.warn(lineOf(delivery, deadLetterFacts(reason)));
    },
  } satisfies Partial<PipelineEvents>;
}

function positionFields({ topic, partition, offset }: SourceRecord): Readonly<Record<string, unknown>> {
  return { topic, partition, offset };
}

/** Makes the lines about deliveries. Each is one object literal, because spreads would double its cost. */
function deliveryLines(tierLabels: readonly string[]) {
  return (delivery: Delivery, facts: DeliveryFacts) => {
    const { event, outcome, status, failure, durationMs, settlement } = facts;
    const { traceparent } = delivery.trace;
    const trace = traceparent === undefined ? undefined : traceIds(traceparent);
    const { dueAt, reason } = settlementFields(settlement);
    return {
      event,
      configurationId: delivery.webhookId,
      ownerId: delivery.ownerId,
      certificateId: delivery.certificateId,
      deliveryId: delivery.deliveryId,
      attempt: delivery.attempt,
      traceId: trace?.traceId,
      parentId: trace?.parentId,
      outcome,
      status,
      failure: failure === undefined ? undefined : oneLine(failure),
      durationMs,
      settlement: settlement?.kind,
      tier: tierOf(settlement, tierLabels),
      dueAt,
      reason: facts.reason ?? reason,
    };
  };
}

function tierOf(settlement: Settlement | undefined, tierLabels: readonly string[]): string | undefined {
  return settlement?.kind === 'retry' || settlement?.kind === 'defer' ? tierLabels[settlement.tier] : undefined;
}

/** Updates the metrics of one attempt. An outcome that does not count as an attempt changes nothing. */
function observeAttempt(metrics: Metrics, attempted: DeliveryAttempted): void {
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
