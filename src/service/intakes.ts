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
  /** Returns the records that are held until they are due. Always empty for the group of the certificate topics. */
  held(): HeldByTopic;
}

/** Creates the intake of one group, which passes its records to the pipeline. */
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
 * Bytes that a broker collects before it answers a fetch. A certificate is fetched at once. A record of a tier is not due
 * for seconds. One fetch for each of them would cost more than the request to the failing endpoint.
 */
export const minFetchBytes: Readonly<Record<Pool, number>> = { first: 1, retry: 64 * 1024 };

/** The sources of the current workload of the process. */
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

/**
 * Creates the limits of one group's intake. A quarter of the configured limits is for retries alone. Retries may wait for
 * hours, so their partitions get equal shares.
 */
export function createLimits({ intake, delivery }: Settings, pool: Pool, workload = idle): IntakeLimits {
  return new IntakeLimits({
    maxRecords: splitByPool(intake.maxRecords)[pool],
    maxBytes: splitByPool(intake.maxBytes)[pool],
    maxSpan: intake.maxSpan,
    sharedEqually: pool === 'retry',
    maxAtOnce: splitByPool(delivery.maxInFlight)[pool],
    ...(pool === 'first' && { timesEnough: () => relativeLoad(workload, delivery.maxWaitingPerEndpoint) }),
    // Records of a tier are not due for seconds. In small batches, they let certificates through.
    ...(pool === 'retry' && { fewRecords: 8 }),
  });
}

/**
 * Largest part of all waiting places that one waiting room counts as. All rooms share these places, whose number shrinks
 * under load.
 */
const maxRoomFraction = 1 / 8;

/** Returns the waiting first attempts as a multiple of what keeps the process busy: `IntakeLimitsOptions.timesEnough`. */
function relativeLoad({ pipeline, gates, eventLoop }: Workload, maxWaitingPerEndpoint: number): number {
  const { free, size } = gates.room('first');
  const fullRoom = Math.min(maxWaitingPerEndpoint, size * maxRoomFraction);
  const { expected } = pipeline;
  // No room can overflow because of us while fewer deliveries wait than half of one room holds.
  if (gates.waiting('first') + expected < fullRoom / 2) return 0;
  const waitingForHealthy = gates.waitingForHealthy('first') + expected;
  // At 1, the waiting deliveries fill the rooms of two healthy endpoints. Further ones may have to go through a tier.
  const load = waitingForHealthy / (fullRoom * 2);
  // Deliveries to any endpoint overflow once those to healthy ones fill three quarters of the places they can have.
  if (load >= 1 && (free - expected) * 3 < waitingForHealthy) return Number.POSITIVE_INFINITY;
  return eventLoop.isSaturated ? Math.max(1, load) : load;
}

interface Handling {
  readonly whenReadable: Intake['whenReadable'];
  readonly handle: Intake['handle'];
  /** Abandons the records that are held until they are due. */
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
