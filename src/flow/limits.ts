import type { Pool } from '../deliveries/delivery.ts';
import type { Settings } from '../settings.ts';
import { occupation, type Occupation } from './occupation.ts';

/** The limits of what one consumer group holds. */
export interface FlowLimits {
  /** Unsettled records of all partitions. */
  readonly maxRecords: number;
  /** Unsettled records with deliveries that are not started. */
  readonly maxPending: number;
  /** Started and unsettled deliveries of all partitions. One record may be for thousands of webhooks. */
  readonly maxDeliveries: number;
  /** Bytes of the keys, values and headers of the unsettled records. */
  readonly maxBytes: number;
  /** Offsets between a partition's commit and its newest record. */
  readonly maxSpan: number;
  /** Active deliveries of one partition, which its owners share. With equal shares, those of all partitions. */
  readonly window: number;
  /** Divides half of each limit equally among the partitions. Otherwise each may hold as much as is left for all. */
  readonly sharedEqually: boolean;
  /** A partition whose newest record is held no longer than this, in ms, may hold as much as is left of the other half. */
  readonly shortHoldMs: number;
  /** The things that a started delivery occupies in each state. */
  readonly occupation: Occupation;
}

export interface CircuitPolicy {
  /** The number of failures in a row that open the circuit. */
  readonly failures: number;
  /** The first cooldown. Each failed probe doubles it, up to `longestCooldownFactor` times its length. */
  readonly cooldownMs: number;
}

export interface GatePolicy extends CircuitPolicy {
  /** The limit of requests in flight to one endpoint. */
  readonly maxInFlight: number;
  /** The places in one endpoint's waiting room, for both pools together. */
  readonly maxWaiting: number;
  /** The longest time that a delivery stays in the waiting room. */
  readonly maxWaitMs: number;
  /** `DELIVERY_MAX_AGE`. No free time beyond it is reserved; failure history is dropped after it. */
  readonly maxAgeMs: number;
}

export interface PoolCapacity {
  /** Requests in flight to all endpoints. */
  readonly inFlight: number;
  /** Requests in flight to suspect endpoints. As many are kept for endpoints with no request in flight. */
  readonly suspectInFlight: number;
  /** Deliveries that wait for suspect endpoints, and as many for paced ones. Flow control limits those for healthy ones. */
  readonly suspectWaiting: number;
}

export interface GatesPolicy extends GatePolicy {
  /** The capacity that all endpoints share. */
  readonly capacity: Readonly<Record<Pool, PoolCapacity>>;
  /** Deliveries that leave a waiting room in one turn of the event loop when the circuit opens. Each goes to a tier. */
  readonly refusalsPerTurn: number;
  /** The time after which a request in flight, or a delivery that waits for its endpoint's own limit, is late. */
  readonly lateAfterMs: number;
}

/** The part of every limit of the process that is for retries alone; the rest is for first attempts alone. */
const retryPart = 1 / 4;

/**
 * The part of each pool that all suspect endpoints may use together: of its requests in flight, and of its waiting
 * places. With a half of the requests, 200 black holes opened 19 connections a second, and p99 of the others rose.
 */
const suspectPart = 1 / 4;

/** Healthy endpoints answer sooner. A delivery that takes longer than this waits for its endpoint, not for us. */
const lateAfterMs = 1000;

/**
 * Deliveries that start, or that an opened circuit sends to a tier, before the event loop gets a turn. One takes about
 * 0.2 ms, so others wait for about 6 ms. An iteration of the loop may hold two such turns.
 */
export const maxStartsPerTurn = 32;

export function flowLimits(
  { intake, delivery, retry }: Pick<Settings, 'intake' | 'delivery' | 'retry'>,
  pool: Pool,
): FlowLimits {
  const maxRecords = splitByPool(intake.maxRecords)[pool];
  // Twice what one endpoint can have in flight and in its waiting room. An owner alone gets a half of the window, so its backlog
  // fills the room of its endpoint and does not overflow it.
  const firstWindow = 2 * (delivery.maxInFlightPerEndpoint + delivery.maxWaitingPerEndpoint);
  // A partition's retries that wait for an endpoint stay in its window. Without it, p99 of the others was 25 ms in place of 11
  // while 200 of 400 endpoints hung.
  const window = pool === 'first' ? firstWindow : maxRecords;
  return {
    maxRecords,
    // A partition alone gets a half: as many as its window. That is enough to find the certificates of other owners.
    maxPending: pool === 'first' ? 2 * window : Number.POSITIVE_INFINITY,
    maxDeliveries: maxRecords,
    maxBytes: splitByPool(intake.maxBytes)[pool],
    maxSpan: intake.maxSpan,
    window,
    // Retries may wait for hours. With unequal shares, one partition's would keep another's out.
    sharedEqually: pool === 'retry',
    // Those of an overloaded endpoint are due one by one. While its partition read no further than its equal part, the retries
    // of another endpoint came minutes late.
    shortHoldMs: Math.min(...retry.delaysMs),
    occupation,
  };
}

export function gatesPolicy({ delivery, circuit, intake }: Settings): GatesPolicy {
  const inFlight = splitByPool(delivery.maxInFlight);
  const places = splitByPool(intake.maxRecords);
  const capacityOf = (pool: Pool): GatesPolicy['capacity'][Pool] => ({
    inFlight: inFlight[pool],
    suspectInFlight: Math.ceil(inFlight[pool] * suspectPart),
    suspectWaiting: Math.ceil(places[pool] * suspectPart),
  });
  return {
    capacity: { first: capacityOf('first'), retry: capacityOf('retry') },
    lateAfterMs,
    refusalsPerTurn: maxStartsPerTurn,
    maxInFlight: delivery.maxInFlightPerEndpoint,
    maxWaiting: delivery.maxWaitingPerEndpoint,
    maxWaitMs: delivery.timeoutMs,
    maxAgeMs: delivery.maxAgeMs,
    failures: circuit.failures,
    cooldownMs: circuit.cooldownMs,
  };
}

/** Splits a limit of the process between the pools. Each pool gets at least one. */
function splitByPool(total: number): Readonly<Record<Pool, number>> {
  const retry = Math.max(1, Math.floor(total * retryPart));
  return { first: Math.max(1, total - retry), retry };
}
