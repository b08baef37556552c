import type { Decoder } from '../certificates/decoder.ts';
import type { Attempts } from '../deliveries/attempts.ts';
import type { Pool } from '../deliveries/delivery.ts';
import type { Gates } from '../deliveries/gates/gates.ts';
import type { Intake } from '../kafka/consumer/admission.ts';
import { IntakeLimits } from '../backpressure/intake-limits.ts';
import { RetryIntake, type HeldByTopic } from '../kafka/consumer/retry-intake.ts';
import type { Tier } from '../kafka/topics/tier.ts';
import { tierTopicsIn } from '../kafka/topics/wanted-topics.ts';
import type { Clock } from '../lib/clock.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Settings } from '../settings.ts';
import type { Events } from '../telemetry/events/events.ts';
import { splitByPool } from '../backpressure/capacity.ts';
import type { EventLoopWatch } from '../backpressure/event-loop-utilization.ts';

interface IntakeOptions {
  readonly settings: Settings;
  readonly decoder: Pick<Decoder, 'whenReadable'>;
  readonly pipeline: Pipeline;
  readonly attempts: Attempts;
  readonly gates: Gates;
  readonly events: Events;
  readonly clock: Clock;
}

interface ServiceIntake extends Intake {
  /** What waits for its time; nothing in the group of the certificate topics. */
  held(): HeldByTopic;
}

/** What becomes of the records that one of the two groups reads. */
export function createIntake(pool: Pool, options: IntakeOptions): ServiceIntake {
  const { attempts, gates, events } = options;
  const { whenReadable, handle, release, held } = createHandling(pool, options);
  return {
    whenReadable,
    handle,
    held,
    drain: () => {
      release();
      gates.drain(pool);
    },
    abort: () => attempts.abort(pool),
    open: () => gates.open(pool),
    recordConsumed: (record) => events.recordConsumed(record),
    recordSettled: (record, result) => events.recordSettled(record, result),
    recordsSkipped: (topic, records) => events.recordsSkipped(topic, records),
  };
}

/**
 * Bytes. A certificate is fetched as soon as it is there. What comes to a tier is not due for seconds: with a fetch for each
 * record, endpoints that fail would cost the others more than their requests do.
 */
export const minFetchBytes: Readonly<Record<Pool, number>> = { first: 1, retry: 64 * 1024 };

/** What the process has to do at present. */
export interface Workload {
  readonly pipeline: Pick<Pipeline, 'expected'>;
  readonly gates: Pick<Gates, 'waiting' | 'waitingForHealthy' | 'room'>;
  readonly eventLoop: Pick<EventLoopWatch, 'isSaturated'>;
}

const idle: Workload = {
  pipeline: { expected: 0 },
  gates: { waiting: () => 0, waitingForHealthy: () => 0, room: () => ({ free: 1, size: 1 }) },
  eventLoop: { isSaturated: false },
};

/** A quarter of what may be held is for retries alone. Those wait for hours, so there each partition has its share. */
export function createLimits({ intake, delivery }: Settings, pool: Pool, work = idle): IntakeLimits {
  return new IntakeLimits({
    maxRecords: splitByPool(intake.maxRecords)[pool],
    maxBytes: splitByPool(intake.maxBytes)[pool],
    maxSpan: intake.maxSpan,
    sharedEqually: pool === 'retry',
    maxAtOnce: splitByPool(delivery.maxInFlight)[pool],
    ...(pool === 'first' && { timesEnough: () => timesEnough(work, delivery.maxWaitingPerEndpoint) }),
    // Nothing is due for seconds: certificates go in between.
    ...(pool === 'retry' && { fewRecords: 8 }),
  });
}

/** No room counts as larger than this part of all: they share what there is, and may have to hold less at present. */
const maxRoomFraction = 1 / 8;

/** As `IntakeLimitsOptions` has it, of first attempts. */
function timesEnough({ pipeline, gates, eventLoop }: Workload, maxWaitingPerEndpoint: number): number {
  const { free, size } = gates.room('first');
  const fullRoom = Math.min(maxWaitingPerEndpoint, size * maxRoomFraction);
  const { expected } = pipeline;
  // By then as many wait as half fill the room of one endpoint: nobody's overflows because we are slow.
  if (gates.waiting('first') + expected < fullRoom / 2) return 0;
  const waitingForHealthy = gates.waitingForHealthy('first') + expected;
  // By then two endpoints that answer have as many as they can hold: what is read on top takes the way through a tier.
  const times = waitingForHealthy / (fullRoom * 2);
  // So does everything that is read, for whomever, once those who answer fill three quarters of the room they can have.
  if (times >= 1 && (free - expected) * 3 < waitingForHealthy) return Number.POSITIVE_INFINITY;
  return eventLoop.isSaturated ? Math.max(1, times) : times;
}

interface Handling {
  readonly whenReadable: Intake['whenReadable'];
  readonly handle: Intake['handle'];
  /** Lets go of what is held until it is due. */
  readonly release: () => void;
  readonly held: () => HeldByTopic;
}

function createHandling(pool: Pool, { settings, decoder, pipeline, clock }: IntakeOptions): Handling {
  switch (pool) {
    case 'first':
      return {
        whenReadable: decoder.whenReadable,
        handle: (record, context) => pipeline.handleCertificate(record, context),
        release: () => undefined,
        held: () => new Map(),
      };
    case 'retry': {
      const tiers = new RetryIntake({ pipeline, clock, tierOf: (topic) => tierOf(topic, settings.retry.topicPrefix) });
      return {
        whenReadable: () => undefined,
        handle: (record, context) => tiers.handle(record, context),
        release: () => tiers.release(),
        held: () => tiers.held(),
      };
    }
  }
}

function tierOf(topic: string, prefix: string): Tier {
  const [tier] = tierTopicsIn([topic], prefix);
  if (tier === undefined) throw new Error(`${topic} is no tier`);
  return tier;
}
