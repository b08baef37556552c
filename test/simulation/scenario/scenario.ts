import type { EventType } from '../../../src/certificates/certificate.ts';
import type { WebhookLimits } from '../../../src/webhooks/webhook.ts';

/**
 * Everything that is decided before a run. The same seed makes the same scenario. All times are milliseconds from the
 * start of the run.
 */
export interface Scenario {
  readonly seed: number;
  /** Processes only start and stop gracefully, and no response is lost. Such a run may not repeat any delivery. */
  readonly isGraceful: boolean;
  readonly settings: ScenarioSettings;
  /** Sorted by time. */
  readonly actions: readonly Action[];
  readonly networkFaults: readonly NetworkFault[];
  /** The behaviour of each webhook's endpoint over time, by webhook id. */
  readonly behaviours: ReadonlyMap<string, readonly BehaviourPhase[]>;
  /** No fault starts or continues after this time. */
  readonly faultsEndAtMs: number;
}

export interface ScenarioSettings {
  /** Partitions of each certificate topic. */
  readonly partitions: number;
  /**
   * Partitions of each tier and of the dead-letter topic. If it differs from `partitions`, retries change processes.
   */
  readonly tierPartitions: number;
  readonly tiersMs: readonly [number, ...number[]];
  readonly maxAgeMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerEndpoint: number;
  readonly maxWaitingPerEndpoint: number;
  readonly maxRecords: number;
  readonly maxSpan: number;
  /** The largest batch that a tier or the dead-letter topic accepts, in bytes. */
  readonly maxRecordBytes: number;
  /** True if the service publishes results. */
  readonly hasResults: boolean;
}

/** The ways in which a record of a certificate topic is not a normal certificate. */
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
  /** Writes a configuration. Undefined removes the webhook. */
  | { readonly kind: 'configuration'; readonly webhookId: string; readonly configuration: Configuration | undefined }
  /** Adds a partition to the configurations topic. The platform learns of it at once. */
  | { readonly kind: 'grow_configurations' }
  /** Opens a transaction in a partition of the configurations topic, makes its broker answer without records, or ends both. */
  | {
      readonly kind: 'disturb_configurations';
      readonly how: 'open_transaction' | 'withhold' | 'end';
      readonly partition: number;
    }
  | { readonly kind: 'delete_configurations' }
  /** Creates the topic again after it was deleted. The platform has lost the webhooks that it drops. */
  | { readonly kind: 'create_configurations'; readonly partitions: number; readonly dropped: readonly string[] }
  /** Writes the webhook to the topic that was created again. */
  | { readonly kind: 'refill_configurations'; readonly webhookId: string }
  /** Confirms a topic that was created again. */
  | { readonly kind: 'accept_configurations' }
  /** Opens a transaction in a partition of a certificate topic, unless one is open, or aborts it. */
  | {
      readonly kind: 'open_transaction' | 'abort_transaction';
      readonly eventType: EventType;
      readonly partition: number;
    }
  /** Writes a record to a tier that is not a delivery. */
  | { readonly kind: 'invalid_retry'; readonly tier: number; readonly partition: number }
  | { readonly kind: 'start' }
  /** `which` selects one of the running processes. */
  | { readonly kind: 'stop' | 'kill'; readonly which: number }
  | { readonly kind: 'stall'; readonly which: number; readonly ms: number }
  /** Sets the wall clock of a process forward, or back if `ms` is negative. */
  | { readonly kind: 'set_clock'; readonly which: number; readonly ms: number }
  | { readonly kind: 'crash'; readonly which: number; readonly group: 'first' | 'retry'; readonly restart: boolean }
);

/** A webhook configuration. Each version has its own URL, so a request shows the version that it was built from. */
export interface Configuration {
  readonly version: number;
  readonly ownerId: string;
  readonly enabled: boolean;
  readonly paused: boolean;
  readonly events: readonly EventType[];
  readonly limits?: WebhookLimits | undefined;
  /** False for a document that the directory refuses although its owner can be read. */
  readonly isValid: boolean;
  /** True for a document that is framed by the schema registry. */
  readonly isFramed?: boolean;
}

/** Lasts until the next phase of the same endpoint. */
export interface BehaviourPhase {
  readonly fromMs: number;
  readonly kind: Behaviour;
}

export type Behaviour =
  | 'prompt'
  | 'slow'
  | 'failing'
  | 'refusing'
  | 'unresponsive'
  | 'rate_limiting'
  /** Accepts the delivery and closes the connection without a response. */
  | 'disconnecting'
  /** Alternates between `prompt` and `failing`. */
  | 'flapping';

export type NetworkFault = { readonly fromMs: number; readonly toMs: number } &
  /** No request arrives. */
  (
    | { readonly kind: 'outage' }
    /** Loses requests and responses with these probabilities. */
    | { readonly kind: 'flaky'; readonly lost: number; readonly unanswered: number }
    | { readonly kind: 'slow'; readonly latencyMs: number }
    | { readonly kind: 'refused_writes'; readonly topic: string }
    | { readonly kind: 'refused_commits' }
    /** Fetches of configurations fail while requests for their end offset succeed: the directory falls behind. */
    | { readonly kind: 'unread_configurations'; readonly instance: number }
    /** Connections that a process has at the start fall silent. New ones work. */
    | { readonly kind: 'frozen'; readonly instance: number; readonly connections: ConnectionUse | 'all' }
    /** The schema registry gives no answer, or knows no schema. */
    | { readonly kind: 'registry'; readonly how: 'outage' | 'lag' }
  );

/** The uses of connections to the brokers. */
export type ConnectionUse = 'reading' | 'group' | 'writing' | 'asking';

export const topics = {
  completed: 'completed',
  expired: 'expired',
  configurations: 'configurations',
  deadLetters: 'dead-letters',
  results: 'results',
  tierPrefix: 'retry',
} as const;

export function topicOf(eventType: EventType): string {
  return eventType === 'certificate_completed' ? topics.completed : topics.expired;
}
