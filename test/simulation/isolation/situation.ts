import type { RequestOutcome } from '../../../src/deliveries/outcome.ts';
import type { WebhookLimits } from '../../../src/webhooks/webhook.ts';
import type { Figures } from './figures.ts';

/** Everything that is decided before a run. All times are milliseconds from the start of the load. */
export interface Situation {
  readonly subscriptions: readonly Subscription[];
  /** The certificates that the platform writes. */
  readonly writes: readonly Writes[];
  readonly responseOf: (request: EndpointRequest) => EndpointResponse;
  /** The end of the run. Later than the last write, so that deliveries can end. */
  readonly durationMs: number;
  /** The times at which the heap is measured. */
  readonly heapAtMs?: readonly number[];
}

export interface Subscription {
  readonly webhookId: string;
  readonly ownerId: string;
  /** Defers all its deliveries, without a request. */
  readonly paused?: boolean;
  readonly limits?: WebhookLimits;
  /** The groups of deliveries that its deliveries are measured with. */
  readonly groups: readonly string[];
}

export type Writes =
  /** One certificate in each interval, for one owner after the other. */
  | {
      readonly kind: 'steady';
      readonly ownerIds: readonly string[];
      readonly perSecond: number;
      readonly fromMs: number;
      readonly toMs: number;
    }
  /** All certificates at once, in the partition of their owner or in all partitions by turns. */
  | {
      readonly kind: 'burst';
      readonly ownerId: string;
      readonly count: number;
      readonly atMs: number;
      readonly spread?: boolean;
    };

export interface EndpointRequest {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly atMs: number;
}

/** Undefined if the endpoint never answers. */
export type EndpointResponse =
  | {
      readonly afterMs: number;
      /** A 2xx unless it is given. */
      readonly outcome?: RequestOutcome;
      /** The processor time that the connection takes, beyond that of any request. */
      readonly busyMs?: number;
    }
  | undefined;

export const partitions = 12;

/** Returns the partition of an owner's certificates. The platform hashes the owner, as its key. */
export function partitionOf(ownerId: string): number {
  return hashOf(ownerId) % partitions;
}

/** Answers between 20 and 80 ms later, as the id of the delivery decides. Two runs thus compare exactly. */
export function promptly({ deliveryId }: EndpointRequest): EndpointResponse {
  return { afterMs: 20 + (hashOf(deliveryId) % 61) };
}

/** FNV-1a, mixed so that texts which differ in their last character only get unrelated numbers. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** A situation with a trouble and the same one without it, and bounds on how much they may differ. */
export interface IsolationScenario {
  readonly name: string;
  readonly without: Situation;
  readonly trouble: Situation;
  readonly bounds: readonly Bound[];
}

/** The figures of one scenario. */
export interface ComparedFigures {
  readonly without: Figures;
  readonly trouble: Figures;
}

/** A promise about the figures. */
export interface Bound {
  /** The title of its test. */
  readonly title: string;
  /** Returns how the figures break the promise; undefined if they keep it. */
  readonly violation: (figures: ComparedFigures) => string | undefined;
}
