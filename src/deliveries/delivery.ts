import type { EventType } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import type { Trace } from '../certificates/trace.ts';
import type { OutcomeKind } from './outcome.ts';

/** One certificate for one webhook, by the webhook's id: each attempt looks up how the webhook stands then. */
export interface Delivery {
  /** Stable over all attempts: `<source topic>/<partition>/<offset>/<webhook id>`. */
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly ownerId: string;
  readonly certificateId: string;
  readonly eventType: EventType;
  readonly body: Buffer;
  /** The source record's. */
  readonly key: Buffer | null;
  readonly source: Source;
  readonly trace: Trace;
  /** The one at hand, from 1. */
  readonly attempt: number;
  /** How often it was put off since the last attempt. */
  readonly deferrals: number;
  /** Epoch milliseconds, like every `…At`. */
  readonly plannedAt: number;
  readonly firstAttemptedAt: number | undefined;
  /** What came of it last time; undefined before the first attempt or deferral. */
  readonly lastFailure: Failure | undefined;
}

/** The certificate record a delivery comes from. */
export type Source = Pick<SourceRecord, 'topic' | 'partition' | 'offset' | 'timestamp'>;

export interface Failure {
  readonly reason: OutcomeKind;
  readonly status: number | undefined;
  /** One line without secrets and without values of the record. */
  readonly message: string | undefined;
}

/** Two pools of capacity, neither able to take the other's. */
export const pools = ['first', 'retry'] as const;
export type Pool = (typeof pools)[number];
