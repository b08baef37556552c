import type { EventType } from '../certificates/certificate.ts';
import type { SourceRecord, Trace } from '../certificates/record.ts';
import type { OutcomeKind } from './outcome.ts';

/** One certificate for one webhook. Holds the webhook's id only, because each attempt looks up its current version. */
export interface Delivery {
  /** Stable over all attempts: `<source topic>/<partition>/<offset>/<webhook id>`. */
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly ownerId: string;
  readonly certificateId: string;
  readonly eventType: EventType;
  readonly body: Buffer;
  /** The key of the source record. */
  readonly key: Buffer | null;
  readonly source: Source;
  readonly trace: Trace;
  /** The number of the attempt that is due or being made, from 1. */
  readonly attempt: number;
  readonly deferrals: number;
  /** The time in epoch milliseconds, like every `…At`. */
  readonly plannedAt: number;
  readonly firstAttemptedAt: number | undefined;
  /** The latest failure; undefined before the first attempt or deferral. */
  readonly lastFailure: Failure | undefined;
}

/** The certificate record that a delivery comes from. */
export type Source = Pick<SourceRecord, 'topic' | 'partition' | 'offset' | 'timestamp'>;

export interface Failure {
  readonly reason: OutcomeKind;
  readonly status: number | undefined;
  /** One line without secrets and without values of the record. */
  readonly message: string | undefined;
}

/** The two pools of capacity. Neither can use the capacity of the other. */
export const pools = ['first', 'retry'] as const;
export type Pool = (typeof pools)[number];
