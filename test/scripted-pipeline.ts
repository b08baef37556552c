import type { Decoded } from '../src/certificates/certificate.ts';
import type { Attempted } from '../src/deliveries/attempts.ts';
import type { Delivery } from '../src/deliveries/delivery.ts';
import type { Outcome } from '../src/deliveries/outcome.ts';
import { Pipeline } from '../src/pipeline/pipeline.ts';
import type { Handoff } from '../src/pipeline/ports.ts';
import type { PipelineEvents } from '../src/pipeline/pipeline-events.ts';
import type { Webhook } from '../src/webhooks/webhook.ts';
import { aCertificate } from './support/builders.ts';
import { ManualClock } from './support/time/manual-clock.ts';

export const delivered: Outcome = { kind: 'delivered', status: 200 };

/** What a pipeline meets. */
export interface Story {
  readonly decoded?: Decoded;
  readonly webhooks?: readonly Webhook[];
  readonly caughtUp?: Promise<void>;
  /** In turn; delivered when there are no more. */
  readonly outcomes?: readonly Outcome[];
  /** The webhook whose attempt throws. */
  readonly throwsOn?: string;
  /** Called as an attempt begins. */
  readonly before?: () => void;
  readonly acknowledged?: Promise<void>;
  readonly refusal?: 'too_large' | 'abandoned';
}

export function startPipeline(story: Story) {
  const clock = new ManualClock();
  const attempted: Delivery[] = [];
  const written: string[] = [];
  const told: string[] = [];
  const outcomes = [...(story.outcomes ?? [])];
  const attempt = async (delivery: Delivery): Promise<Attempted> => {
    attempted.push(delivery);
    story.before?.();
    if (delivery.webhookId === story.throwsOn) throw new TypeError('a fault of ours');
    await Promise.resolve();
    return { outcome: outcomes.shift() ?? delivered, startedAt: clock.now() };
  };
  const pipeline = new Pipeline({
    decode: () => story.decoded ?? { kind: 'certificate', certificate: aCertificate() },
    directory: {
      ofOwner: () => story.webhooks ?? [],
      byId: () => undefined,
      caughtUp: async () => story.caughtUp,
    },
    attempts: { attempt },
    handoff: aHandoff(story, written),
    schedule: { delaysMs: [10_000, 60_000], maxAgeMs: 3_600_000 },
    events: listener(told),
    clock,
  });
  return { pipeline, clock, attempted, written, told };
}

function aHandoff({ acknowledged, refusal }: Story, written: string[]): Handoff {
  return {
    schedule: async ({ attempt }, { tier }) => {
      await acknowledged;
      if (refusal !== undefined) return refusal;
      written.push(`tier ${tier} attempt ${attempt}`);
      return 'written';
    },
    buryDelivery: async (_delivery, { reason, attemptsMade }) => {
      written.push(`delivery ${reason} after ${attemptsMade}`);
      return reason;
    },
    buryRecord: async (_record, { reason }) => {
      written.push(`record ${reason}`);
      return reason;
    },
  };
}

function listener(told: string[]): PipelineEvents {
  return {
    recordConsumed: () => undefined,
    recordSettled: () => undefined,
    recordRejected: () => undefined,
    recordFailed: () => void told.push('failed'),
    certificateDeviated: () => undefined,
    deliveryAttempted: ({ delivery, outcome }) => void told.push(`attempted ${delivery.webhookId} ${outcome.kind}`),
    deliveryDeferred: ({ reason }) => void told.push(`deferred ${reason}`),
    deliveryUnsubscribed: () => void told.push('unsubscribed'),
    deliveryBuried: () => undefined,
  };
}

export function aWebhook(id: string, wants = true): Webhook {
  return {
    id,
    ownerId: aCertificate().ownerId,
    state: 'active',
    wants: () => wants,
    endpoint: () => {
      throw new Error('nobody asks for it here');
    },
  };
}
