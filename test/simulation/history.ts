import type { RecordResult } from '../../src/pipeline/ports.ts';
import type { LoggedRecord } from './broker/partition-log.ts';

/** Where a record stands. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** What happened in a run, as it is to be judged: what lasts, and what each process said and heard. */
export type HistoryEvent =
  /** For good: in a log, whoever wrote it. */
  | { readonly kind: 'appended'; readonly record: LoggedRecord }
  | ({ readonly kind: 'committed'; readonly groupId: string } & Place)
  /** A process got to know that what it wrote is there: retries and dead letters, by what they say of themselves. */
  | {
      readonly kind: 'acknowledged';
      readonly instance: string;
      readonly topic: string;
      readonly subject: RecordSubject;
    }
  | ({ readonly kind: 'consumed' | 'abandoned'; readonly instance: string } & Place)
  | ({ readonly kind: 'settled'; readonly instance: string; readonly result: RecordResult } & Place)
  /** A request reached an endpoint; whether it is taken shows in what it is answered. */
  | ({ readonly kind: 'arrived' } & RequestFacts & { readonly isAccepted: boolean })
  /** A process got to know what a request came to. */
  | ({ readonly kind: 'answered'; readonly outcome: string } & RequestFacts)
  /** A process put a delivery off; `attempt` counts those made. */
  | {
      readonly kind: 'deferred';
      readonly instance: string;
      readonly deliveryId: string;
      readonly attempt: number;
      readonly reason: string;
    }
  | {
      readonly kind: 'held';
      readonly instance: string;
      readonly what: string;
      readonly count: number;
      readonly limit: number;
    }
  | { readonly kind: 'instance'; readonly instance: string; readonly did: string }
  | { readonly kind: 'emitted'; readonly instance: string; readonly event: string; readonly detail: string };

/** Of a delivery, or of a record that never became one. */
export interface RecordSubject {
  readonly deliveryId: string | undefined;
  readonly source: string;
}

export interface RequestFacts {
  readonly instance: string;
  readonly deliveryId: string;
  readonly webhookId: string;
  /** Of the configuration that the request was made from. */
  readonly version: number;
}

export type Entry = HistoryEvent & { readonly at: number };

/** In order, to the turn of an event loop. */
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
