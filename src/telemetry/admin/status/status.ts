import type { EndpointsStatus } from '../../../deliveries/gates/endpoint-status.ts';
import type { WebhookState } from '../../../webhooks/webhook.ts';
import type { PoolStatus, UnsettledStatus } from '../../metrics/gauges.ts';
import type { PartitionStatus } from '../../metrics/partition-gauges.ts';

/** How one instance does at one moment, as plain data: no URL, no credential, nothing of a certificate. */
export interface Status {
  /** The moment; this and all other times in epoch milliseconds. */
  readonly at: number;
  readonly instance: InstanceStatus;
  /** What is missing before the service does its work; nothing once it does. */
  readonly missing: readonly string[];
  /** What has stopped making progress; nothing while all goes well. */
  readonly silent: readonly string[];
  readonly pools: readonly PoolStatus[];
  readonly endpoints: EndpointsStatus;
  readonly settings: readonly SettingsGroup[];
  /** Undefined until it reads. */
  readonly reading: ReadingStatus | undefined;
}

interface InstanceStatus {
  readonly name: string;
  readonly version: string;
  readonly nodeVersion: string;
  readonly startedAt: number;
}

export interface ReadingStatus {
  readonly unsettled: UnsettledStatus;
  readonly webhooks: Readonly<Record<WebhookState, number>>;
  /** The shortest delay first. */
  readonly tiers: readonly TierStatus[];
  /** Those assigned at present, of certificate topics and tiers. */
  readonly partitions: readonly PartitionStatus[];
}

export interface TierStatus {
  readonly topic: string;
  /** The delay as the topic is named, e.g. `10m`. */
  readonly label: string;
  /** One that is not is read to its end, and no longer written. */
  readonly isConfigured: boolean;
  /** Assigned to this instance. */
  readonly partitions: number;
  /** Records of these partitions that wait for their time, read or not; undefined until the brokers were asked. */
  readonly waiting: number | undefined;
  /** Of those read, when the first is due. */
  readonly nextDueAt: number | undefined;
}

export interface SettingsGroup {
  readonly title: string;
  readonly settings: readonly {
    readonly name: string;
    /** For people: a secret is no longer in it. */
    readonly value: string;
    readonly origin: 'default' | 'set' | 'unset';
  }[];
}
