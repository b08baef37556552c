import type { Pool } from '../../src/deliveries/delivery.ts';
import type { RecordResult } from '../../src/pipeline/ports.ts';
import type { LoggedRecord } from './broker/partition-log.ts';

/** The position of a record in Kafka. */
export interface RecordPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * An event of a run: a durable change in Kafka, or something that a process did or learned. The checkers read nothing
 * else, apart from the scenario and the outcome of the run.
 */
type HistoryEvent =
  /** A record was appended to a log. */
  | { readonly kind: 'appended'; readonly record: LoggedRecord }
  | ({ readonly kind: 'committed'; readonly groupId: string } & RecordPosition)
  /** A webhook was lost with its topic: unread as that was deleted, or not written again as it was created. */
  | { readonly kind: 'dropped'; readonly webhookId: string }
  /** A process got the acknowledgement of a retry or a dead letter. The subject comes from its headers. */
  | {
      readonly kind: 'acknowledged';
      readonly instance: string;
      readonly topic: string;
      readonly subject: RecordSubject;
    }
  | ({ readonly kind: 'consumed' | 'abandoned'; readonly instance: string } & RecordPosition)
  | ({ readonly kind: 'settled'; readonly instance: string; readonly result: RecordResult } & RecordPosition)
  /** A process sent a request. */
  | ({ readonly kind: 'sent' } & RequestFacts)
  /** A request reached an endpoint, which accepted it or not. The process does not know that yet. */
  | ({ readonly kind: 'arrived' } & RequestFacts & { readonly isAccepted: boolean })
  /** A process got the outcome of a request. */
  | ({ readonly kind: 'answered'; readonly outcome: string } & RequestFacts)
  /** A process deferred a delivery. `attempt` counts the attempts made. */
  | {
      readonly kind: 'deferred';
      readonly instance: string;
      readonly deliveryId: string;
      readonly attempt: number;
      readonly reason: string;
    }
  /** A process emitted the event of a delivery, and has counted it in its metrics. */
  | { readonly kind: 'reported'; readonly instance: string; readonly result: DeliveryReport }
  /** A process holds one more record in flight. */
  | {
      readonly kind: 'held';
      readonly instance: string;
      readonly pool: Pool;
      readonly count: number;
      readonly limit: number;
    }
  /** A process changed its state, for example `is drained`. */
  | { readonly kind: 'instance'; readonly instance: string; readonly change: string }
  /** A process emitted another event of the service. Only failure reports use these. */
  | { readonly kind: 'emitted'; readonly instance: string; readonly event: string; readonly detail: string };

/** The delivery or the source record that a retry or dead letter is about. */
export interface RecordSubject {
  /** Undefined for a record that never became a delivery. */
  readonly deliveryId: string | undefined;
  /** `<topic>/<partition>/<offset>` */
  readonly source: string;
}

/** An event of a delivery, as a log line and a record of the results topic tell it. */
export interface DeliveryReport {
  readonly type: string;
  readonly deliveryId: string;
  readonly attempt: number;
  /** The outcome, or the reason of a dead letter. Undefined without a subscriber. */
  readonly what: string | undefined;
}

export interface RequestFacts {
  readonly instance: string;
  readonly deliveryId: string;
  readonly webhookId: string;
  /** The version of the webhook configuration that the request was built from. */
  readonly version: number;
}

/** `at` is milliseconds from the start of the run. */
export type Entry = HistoryEvent & { readonly at: number };

/**
 * The events of one run, in the order in which they happened. Checkers decide by the position in
 * `entries` which of two events came first, because their times may be equal.
 */
export class History {
  readonly #entries: Entry[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  add(event: HistoryEvent): void {
    this.#entries.push({ ...event, at: this.#now() });
  }
}
