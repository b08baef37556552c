import type { EndpointsStatus } from '../../../flow/endpoint-status.ts';
import type { WebhookState } from '../../../webhooks/webhook.ts';
import type { PoolStatus } from '../../../flow/capacity.ts';
import type { UnsettledStatus, PartitionStatus } from '../../metrics/gauges.ts';

/** The state of one instance as plain data. Holds no URL, no credential, and nothing of a certificate. */
export interface Status {
  /** The time of the snapshot. All times are in epoch milliseconds. */
  readonly at: number;
  readonly instance: {
    readonly name: string;
    readonly version: string;
    readonly nodeVersion: string;
    readonly startedAt: number;
  };
  /** The conditions that keep the service from being ready. */
  readonly missing: readonly string[];
  /** The components that have stopped making progress. */
  readonly stalled: readonly string[];
  readonly pools: readonly PoolStatus[];
  readonly endpoints: EndpointsStatus;
  readonly settings: readonly SettingsGroup[];
  /** Undefined until the readers have started. */
  readonly reading: ReadingStatus | undefined;
}

export interface ReadingStatus {
  readonly unsettled: UnsettledStatus;
  readonly webhooks: Readonly<Record<WebhookState, number>>;
  /** Sorted by delay, shortest first. */
  readonly tiers: readonly TierStatus[];
  readonly partitions: readonly PartitionStatus[];
}

export interface TierStatus {
  readonly topic: string;
  readonly label: string;
  /** False for a retired tier, which is read but not written. */
  readonly isConfigured: boolean;
  readonly partitions: number;
  /** Records of these partitions that are not due yet, read or not. Undefined until the brokers have answered. */
  readonly waiting: number | undefined;
  /** The earliest due time among the records that were read. */
  readonly nextDueAt: number | undefined;
}

export interface SettingsGroup {
  readonly title: string;
  readonly settings: readonly {
    readonly name: string;
    /** The value for people. A secret is hidden. */
    readonly value: string;
    readonly origin: 'default' | 'set' | 'unset';
  }[];
}
