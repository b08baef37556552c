import type { SourceRecord } from '../../certificates/record.ts';
import { traceIds } from '../../certificates/trace.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { Outcome } from '../../deliveries/outcome.ts';
import type { Settlement } from '../../deliveries/settlement.ts';
import type { PipelineEvents } from '../../pipeline/pipeline-events.ts';
import { observeAttempt } from '../metrics/attempt-metrics.ts';
import { errorFacts } from './failure-text.ts';
import { oneLine } from '../../lib/one-line.ts';
import type { EventSinks } from './event-sinks.ts';

/** Which attempts have a log line. */
export type LoggedDeliveries = 'all' | 'failed';

interface DeliveryLog {
  readonly tierLabels: readonly string[];
  readonly logDeliveries: LoggedDeliveries;
}

/** Creates the events about records and deliveries. Problems that only subscribers can fix are logged at info level. */
export function createPipelineEvents(sinks: EventSinks, deliveryLog: DeliveryLog): PipelineEvents {
  return { ...recordEvents(sinks), ...deliveryEvents(sinks, deliveryLog) };
}

type RecordEvents = Pick<
  PipelineEvents,
  'recordConsumed' | 'recordSettled' | 'recordRejected' | 'recordFailed' | 'certificateDeviated'
>;

function recordEvents({ logger, metrics }: EventSinks): RecordEvents {
  return {
    recordConsumed({ topic }) {
      metrics.recordsConsumed.inc({ topic });
    },
    recordSettled(record, result) {
      metrics.recordsSettled.inc({ topic: record.topic, result });
      logger.debug({ event: 'record.settled', ...positionFields(record), result });
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
  };
}

function deliveryEvents(
  { logger, metrics }: EventSinks,
  { tierLabels, logDeliveries }: DeliveryLog,
): Omit<PipelineEvents, keyof RecordEvents> {
  return {
    deliveryAttempted(attempted) {
      observeAttempt(metrics, attempted);
      const { delivery, outcome, settlement, durationMs } = attempted;
      if (logDeliveries === 'failed' && outcome.kind === 'delivered') return;
      logger.info({
        event: 'delivery.attempted',
        ...deliveryFields(delivery),
        ...outcomeFields(outcome),
        durationMs,
        ...settlementFields(settlement, tierLabels),
      });
    },
    deliveryDeferred({ delivery, reason, failure, settlement }) {
      metrics.deliveriesDeferred.inc({ reason });
      // The service itself causes these two, and there can be very many.
      const level = reason === 'not_due' || reason === 'draining' ? 'debug' : 'info';
      logger[level]({
        event: 'delivery.deferred',
        ...deliveryFields(delivery),
        outcome: reason,
        status: failure?.status,
        failure: failure?.message === undefined ? undefined : oneLine(failure.message),
        ...settlementFields(settlement, tierLabels),
      });
    },
    deliveryUnsubscribed(delivery) {
      logger.info({ event: 'delivery.unsubscribed', ...deliveryFields(delivery) });
    },
    deliveryDeadLettered(delivery, reason) {
      logger.warn({ event: 'delivery.dead_lettered', ...deliveryFields(delivery), reason });
    },
  };
}

function positionFields({ topic, partition, offset }: SourceRecord): Readonly<Record<string, unknown>> {
  return { topic, partition, offset };
}

function deliveryFields(delivery: Delivery): Readonly<Record<string, unknown>> {
  const { traceparent } = delivery.trace;
  return {
    configurationId: delivery.webhookId,
    ownerId: delivery.ownerId,
    certificateId: delivery.certificateId,
    deliveryId: delivery.deliveryId,
    attempt: delivery.attempt,
    ...(traceparent === undefined ? {} : traceIds(traceparent)),
  };
}

function outcomeFields(outcome: Outcome): Readonly<Record<string, unknown>> {
  return {
    outcome: outcome.kind,
    status: 'status' in outcome ? outcome.status : undefined,
    failure: 'message' in outcome ? oneLine(outcome.message) : undefined,
  };
}

function settlementFields(settlement: Settlement, tierLabels: readonly string[]): Readonly<Record<string, unknown>> {
  switch (settlement.kind) {
    case 'done':
      return { settlement: settlement.kind };
    case 'retry':
    case 'defer':
      return {
        settlement: settlement.kind,
        tier: tierLabels[settlement.tier],
        dueAt: new Date(settlement.dueAt).toISOString(),
      };
    case 'dead':
      return { settlement: settlement.kind, reason: settlement.reason };
  }
}
