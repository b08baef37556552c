import type { SourceRecord } from '../../certificates/record.ts';
import { traceIds } from '../../certificates/trace.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { DeadReason, Settlement } from '../../deliveries/settlement.ts';
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
  };
}

function deliveryEvents(
  { logger, metrics }: EventSinks,
  { tierLabels, logDeliveries }: DeliveryLog,
): Omit<PipelineEvents, keyof RecordEvents> {
  const lineOf = deliveryLines(tierLabels);
  return {
    deliveryAttempted(attempted) {
      observeAttempt(metrics, attempted);
      const { delivery, outcome, settlement, durationMs } = attempted;
      if (logDeliveries === 'failed' && outcome.kind === 'delivered') return;
      logger.info(
        lineOf(delivery, {
          event: 'delivery.attempted',
          outcome: outcome.kind,
          status: 'status' in outcome ? outcome.status : undefined,
          failure: 'message' in outcome ? outcome.message : undefined,
          durationMs,
          settlement,
        }),
      );
    },
    deliveryDeferred({ delivery, reason, failure, settlement }) {
      metrics.deliveriesDeferred.inc({ reason });
      // The service itself causes these two, and there can be very many.
      const level = reason === 'not_due' || reason === 'draining' ? 'debug' : 'info';
      const { status, message } = failure ?? {};
      logger[level](
        lineOf(delivery, { event: 'delivery.deferred', outcome: reason, status, failure: message, settlement }),
      );
    },
    deliveryUnsubscribed(delivery) {
      logger.info(lineOf(delivery, { event: 'delivery.unsubscribed' }));
    },
    deliveryDeadLettered(delivery, reason) {
      logger.warn(lineOf(delivery, { event: 'delivery.dead_lettered', reason }));
    },
  };
}

function positionFields({ topic, partition, offset }: SourceRecord): Readonly<Record<string, unknown>> {
  return { topic, partition, offset };
}

/** The fields of a line about a delivery, without the ids. */
interface DeliveryFacts {
  readonly event: string;
  readonly outcome?: string;
  readonly status?: number | undefined;
  readonly failure?: string | undefined;
  readonly durationMs?: number;
  readonly settlement?: Settlement;
  /** The reason of a dead letter. A settlement has its own. */
  readonly reason?: DeadReason;
}

/** Makes the lines about deliveries. Each is one object literal, because spreads would double its cost. */
function deliveryLines(tierLabels: readonly string[]) {
  return (delivery: Delivery, facts: DeliveryFacts) => {
    const { event, outcome, status, failure, durationMs, settlement } = facts;
    const { traceparent } = delivery.trace;
    const trace = traceparent === undefined ? undefined : traceIds(traceparent);
    const { tier, dueAt, reason } = settlementFields(settlement, tierLabels);
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
      tier,
      dueAt,
      reason: facts.reason ?? reason,
    };
  };
}

interface SettlementFields {
  readonly tier?: string | undefined;
  readonly dueAt?: string;
  readonly reason?: DeadReason;
}

function settlementFields(settlement: Settlement | undefined, tierLabels: readonly string[]): SettlementFields {
  switch (settlement?.kind) {
    case 'retry':
    case 'defer':
      return { tier: tierLabels[settlement.tier], dueAt: new Date(settlement.dueAt).toISOString() };
    case 'dead':
      return { reason: settlement.reason };
    case 'done':
    case undefined:
      return {};
  }
}
