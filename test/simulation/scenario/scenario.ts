import type { EventType } from '../../../src/certificates/certificate.ts';

/** All that is decided before a run: the same seed makes the same scenario. Times count from the beginning of the run. */
export interface Scenario {
  readonly seed: number;
  /** Processes only start and stop in order, and no answer is lost: there is no excuse for a repetition. */
  readonly isGraceful: boolean;
  readonly settings: ScenarioSettings;
  /** In the order of their times. */
  readonly actions: readonly Action[];
  readonly networkFaults: readonly NetworkFault[];
  /** How each webhook's endpoint behaves, by the webhook's id; from the first one's time on. */
  readonly behaviours: ReadonlyMap<string, readonly BehaviourPhase[]>;
  /** From then on nothing new goes wrong. */
  readonly faultsEndAtMs: number;
}

export interface ScenarioSettings {
  /** Of the certificate topics. */
  readonly partitions: number;
  /** Of the tiers and the dead letters: other than those, a delivery's retries meet another process. */
  readonly tierPartitions: number;
  readonly tiersMs: readonly [number, ...number[]];
  readonly maxAgeMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerEndpoint: number;
  readonly maxWaitingPerEndpoint: number;
  readonly maxRecords: number;
  readonly maxSpan: number;
  /** What a tier and the dead-letter topic take at most, in bytes. */
  readonly maxRecordBytes: number;
}

/** What a certificate topic holds besides certificates. */
export type Damage = 'none' | 'not_json' | 'no_owner' | 'null_value' | 'huge';

export type Action = { readonly atMs: number } & (
  | {
      readonly kind: 'certificate';
      readonly certificateId: string;
      readonly ownerId: string;
      readonly eventType: EventType;
      readonly partition: number;
      readonly damage: Damage;
    }
  /** Without a document it is removed. */
  | { readonly kind: 'configuration'; readonly webhookId: string; readonly configuration: Configuration | undefined }
  /** An offset without a record, as the end of a transaction leaves. */
  | { readonly kind: 'gap'; readonly eventType: EventType; readonly partition: number }
  /** A record in a tier that is no delivery. */
  | { readonly kind: 'stray'; readonly tier: number; readonly partition: number }
  | { readonly kind: 'start' }
  /** `which` picks one of those that run. */
  | { readonly kind: 'stop' | 'kill'; readonly which: number }
  | { readonly kind: 'stall'; readonly which: number; readonly ms: number }
  | { readonly kind: 'crash'; readonly which: number; readonly group: 'first' | 'retry'; readonly restart: boolean }
);

/** A webhook configuration; each version has a URL of its own, so that a request tells which one it was made from. */
export interface Configuration {
  readonly version: number;
  readonly ownerId: string;
  readonly enabled: boolean;
  readonly paused: boolean;
  readonly events: readonly EventType[];
  /** Refused, but it says whose it is. */
  readonly isValid: boolean;
}

export interface BehaviourPhase {
  readonly fromMs: number;
  readonly kind: Behaviour;
}

export const moodKinds = [
  'prompt',
  'slow',
  'failing',
  'refusing',
  'unresponsive',
  'rate_limiting',
  'disconnecting',
  'flapping',
] as const;
/** `breaking`: it takes the delivery and violates the connection before it answers. */
export type Behaviour = (typeof moodKinds)[number];

export type NetworkFault = { readonly fromMs: number; readonly toMs: number } & (
  | { readonly kind: 'outage' }
  | { readonly kind: 'flaky'; readonly lost: number; readonly unanswered: number }
  | { readonly kind: 'slow'; readonly latencyMs: number }
  | { readonly kind: 'refused_writes'; readonly topic: string }
  | { readonly kind: 'refused_commits' }
  /** The configurations can be asked for their end, and not be read: the directory falls behind. */
  | { readonly kind: 'unread_configurations'; readonly instance: number }
);

export const topics = {
  completed: 'completed',
  expired: 'expired',
  configurations: 'configurations',
  deadLetters: 'dead-letters',
  tierPrefix: 'retry',
} as const;

export function topicOf(eventType: EventType): string {
  return eventType === 'certificate_completed' ? topics.completed : topics.expired;
}
