import type { Decoded } from '../../src/certificates/certificate.ts';
import type { SourceRecord } from '../../src/certificates/record.ts';
import type { AttemptResult } from '../../src/deliveries/attempt-result.ts';
import type { Delivery } from '../../src/deliveries/delivery.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import type { Schedule } from '../../src/deliveries/schedule.ts';
import { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { ResultPublisher } from '../../src/pipeline/delivery-reporter.ts';
import type { RecordResultPublisher } from '../../src/pipeline/undelivered-records.ts';
import type { PipelineEvents, RetryPublisher, TierStay } from '../../src/pipeline/ports.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { RunningDelivery } from '../../src/pipeline/running-delivery.ts';
import type { Webhook } from '../../src/webhooks/webhook.ts';
import { aCertificate, aDelivery, aRecord } from '../support/builders.ts';
import { aRecordContext, handledIn, type StartContext } from '../support/service/record-context.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

export const delivered: Outcome = { kind: 'delivered', status: 200 };

export const maxAgeMs = 3_600_000;
/** The age of a delivery for which another attempt is left, and no tier after it. */
export const almostTooOldMs = maxAgeMs - 1000;
const schedule: Schedule = { delaysMs: [10_000, 60_000], maxAgeMs };

/** The inputs of a pipeline under test, and how the parts around it behave. */
export interface PipelineScript {
  readonly decoded?: Decoded;
  readonly webhooks?: readonly Webhook[];
  readonly caughtUp?: Promise<void>;
  readonly isComplete?: () => boolean;
  /** Returns true at a look-up if the webhook of a retry is gone. It is there when left out. */
  readonly isRemoved?: () => boolean;
  /** The outcomes of the attempts in order; `delivered` once the list is empty. */
  readonly outcomes?: readonly Outcome[];
  /** The webhook whose attempt throws. */
  readonly throwsOn?: string;
  /** Called when an attempt begins. */
  readonly onAttempt?: () => void;
  /** Every write to a tier resolves after this promise. */
  readonly acknowledged?: Promise<void>;
  /** Called when a delivery is to be written to a tier or to the dead letters. */
  readonly onWrite?: () => void;
  readonly refusal?: 'too_large' | 'abandoned';
  /** The results topic; none when left out. */
  readonly results?: ResultPublisher;
  /** The results topic for records; none when left out. */
  readonly recordResults?: RecordResultPublisher;
}

export function startPipeline(script: PipelineScript) {
  const clock = new ManualClock();
  const attempted: Delivery[] = [];
  const written: string[] = [];
  const emitted: string[] = [];
  /** The waits of the retries that were written, in ms. */
  const waits: number[] = [];
  const outcomes = [...(script.outcomes ?? [])];
  const attempt = (running: RunningDelivery, onResult?: (result: AttemptResult) => void): void => {
    const { delivery } = running;
    attempted.push(delivery);
    script.onAttempt?.();
    if (delivery.webhookId === script.throwsOn) return running.onError(new TypeError('a fault of ours'));
    queueMicrotask(() => {
      const result = { outcome: outcomes.shift() ?? delivered, startedAt: clock.now(), durationMs: 0 };
      if (onResult === undefined) running.onResult(result);
      else onResult(result);
    });
  };
  const pipeline = new Pipeline({
    decode: () => script.decoded ?? { kind: 'certificate', certificate: aCertificate() },
    directory: {
      ofOwner: () => script.webhooks ?? [],
      byId: (id) => (script.isRemoved?.() === true ? undefined : aWebhook(id)),
      caughtUp: async () => script.caughtUp,
      isComplete: () => script.isComplete?.() ?? true,
    },
    attempts: { attempt },
    results: script.results,
    recordResults: script.recordResults,
    retryPublisher: aRetryPublisher(script, written, (dueAt) => waits.push(dueAt - clock.now())),
    schedule,
    events: recordEvents(emitted),
    clock,
  });
  return {
    pipeline: {
      handleCertificate: (record: SourceRecord, context: StartContext) =>
        handledIn(context, (full) => pipeline.handleCertificate(record, full)),
      handleUnreadable: (record: SourceRecord, problem: string, context: StartContext) =>
        handledIn(context, (full) => pipeline.handleUnreadable(record, problem, full)),
    },
    /** Handles a second attempt that was planned now, and is due at once unless `inMs` or `stay` says otherwise. */
    retry: (overrides: Partial<Delivery> = {}, options: RetryOptions = {}) => {
      const { inMs = 0, stay = dueIn(inMs, clock), context = aRecordContext() } = options;
      const delivery = aDelivery({ attempt: 2, plannedAt: clock.now(), ...overrides });
      const retry = { record: retryRecord, delivery, stay };
      return handledIn(context, (full) => pipeline.handleRetry(retry, full));
    },
    clock,
    attempted,
    written,
    waits,
    emitted,
  };
}

interface RetryOptions {
  readonly inMs?: number;
  readonly stay?: TierStay;
  readonly context?: StartContext;
}

export const retryRecord = aRecord({ topic: 'retry.10s' });

export function dueIn(ms: number, clock: Clock): TierStay {
  return { tier: '10s', readAt: clock.now(), dueAt: clock.now() + ms, dueAtMonotonic: clock.monotonic() + ms };
}

function aRetryPublisher(
  { acknowledged, refusal, onWrite }: PipelineScript,
  written: string[],
  noteDue: (dueAt: number) => void,
): RetryPublisher {
  return {
    publishRetry: async ({ attempt }, { tier, dueAt }) => {
      onWrite?.();
      await acknowledged;
      if (refusal !== undefined) return refusal;
      written.push(`tier ${tier} attempt ${attempt}`);
      noteDue(dueAt);
      return 'written';
    },
    publishDeadLetter: async (_delivery, { reason, attemptsMade }) => {
      onWrite?.();
      written.push(`delivery ${reason} after ${attemptsMade}`);
      return reason;
    },
    publishRecordDeadLetter: async (_record, { reason }) => {
      written.push(`record ${reason}`);
      return reason;
    },
  };
}

function recordEvents(emitted: string[]): PipelineEvents {
  return {
    recordConsumed: () => undefined,
    recordSettled: () => undefined,
    recordRejected: () => undefined,
    recordFailed: () => void emitted.push('failed'),
    certificateDeviated: () => undefined,
    deliveryAttempted: ({ delivery, outcome }) => void emitted.push(`attempted ${delivery.webhookId} ${outcome.kind}`),
    deliveryDeferred: ({ reason }) => void emitted.push(`deferred ${reason}`),
    deliveryUnsubscribed: () => void emitted.push('unsubscribed'),
    deliveryDeadLettered: () => undefined,
  };
}

export function aWebhook(id: string, wants = true): Webhook {
  return {
    id,
    ownerId: aCertificate().ownerId,
    state: 'active',
    wants: () => wants,
    endpoint: () => {
      throw new Error('the endpoint is not used here');
    },
  };
}
