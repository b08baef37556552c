import type { Registry } from 'prom-client';
import { circuitStates } from '../../flow/circuit.ts';
import { pools } from '../../deliveries/delivery.ts';
import type { PoolStatus } from '../../flow/capacity.ts';
import type { EndpointCounts } from '../../flow/endpoint-health.ts';
import type { WebhookState } from '../../webhooks/webhook.ts';
import { gauge } from './families.ts';
import { type KnownTopics, consumedTopics } from './known-topics.ts';
import { pauseReasons } from '../../flow/pause-reason.ts';
import type { PartitionProgress } from '../../kafka/consumer/partition-progress.ts';

/** The sources of the gauges. They are read at each scrape, so they must be fast and must not throw. */
export interface GaugeSource {
  readonly pools: () => readonly PoolStatus[];
  readonly unsettled: () => UnsettledStatus;
  readonly endpoints: () => EndpointCounts;
  readonly webhooks: () => Readonly<Record<WebhookState, number>>;
  /** Returns the number of records of the configurations topic that the directory has not read. */
  readonly configurationsLag: () => number;
  /** Returns the number of configured tiers that are not written to, because they would lose retries. */
  readonly unsafeTiers: () => number;
  readonly partitions: () => readonly PartitionStatus[];
}

export interface UnsettledStatus {
  readonly records: number;
  readonly recordsLimit: number;
  readonly bytes: number;
  readonly bytesLimit: number;
}

/** Creates all gauges. Returns the function that sets them from a source. */
export function createGauges(registry: Registry, known: KnownTopics): (source: Partial<GaugeSource>) => void {
  const setPools = poolGauges(registry);
  const setUnsettled = unsettledGauges(registry);
  const setEndpoints = endpointGauges(registry);
  const setWebhooks = webhookGauge(registry);
  const setConfigurationsLag = plainGauge(
    registry,
    'webhook_configurations_lag_records',
    'Records of the configurations topic not yet read.',
  );
  const setUnsafeTiers = plainGauge(
    registry,
    'unsafe_tiers',
    'Configured tiers that are not written to, because their topics are missing or would lose retries.',
  );
  const setPartitions = createPartitionGauges(registry, known);
  return (source) => {
    if (source.pools !== undefined) setPools(source.pools());
    if (source.unsettled !== undefined) setUnsettled(source.unsettled());
    if (source.endpoints !== undefined) setEndpoints(source.endpoints());
    if (source.webhooks !== undefined) setWebhooks(source.webhooks());
    if (source.configurationsLag !== undefined) setConfigurationsLag(source.configurationsLag());
    if (source.unsafeTiers !== undefined) setUnsafeTiers(source.unsafeTiers());
    if (source.partitions !== undefined) setPartitions(source.partitions());
  };
}

const poolFamilies = [
  ['inFlight', 'in_flight_deliveries', 'Requests out at present.'],
  ['limit', 'in_flight_deliveries_limit', 'Requests that may be out at once.'],
  ['waiting', 'waiting_deliveries', 'Deliveries in the waiting rooms of their endpoints.'],
] as const;

function poolGauges(registry: Registry): (status: readonly PoolStatus[]) => void {
  const gauges = poolFamilies.map(
    ([key, name, help]) => [key, gauge(registry, { name, help, labels: { attempt: pools } })] as const,
  );
  return (status) => {
    for (const one of status) for (const [key, family] of gauges) family.set({ attempt: one.pool }, one[key]);
  };
}

const unsettledFamilies = [
  ['records', 'unsettled_records', 'Records read and not yet settled.'],
  ['recordsLimit', 'unsettled_records_limit', 'Limit of the unsettled records of all partitions.'],
  ['bytes', 'unsettled_bytes', 'Bytes of the unsettled records.'],
  ['bytesLimit', 'unsettled_bytes_limit', 'Limit of the unsettled bytes of all partitions.'],
] as const;

function unsettledGauges(registry: Registry): (status: UnsettledStatus) => void {
  const gauges = unsettledFamilies.map(
    ([key, name, help]) => [key, gauge(registry, { name, help, labels: {} })] as const,
  );
  return (status) => {
    for (const [key, family] of gauges) family.set(status[key]);
  };
}

function endpointGauges(registry: Registry): (counts: EndpointCounts) => void {
  const endpoints = gauge(registry, {
    name: 'endpoints',
    help: 'Endpoints that this instance has lately delivered to, by their circuit.',
    labels: { circuit: circuitStates },
  });
  const setFailing = plainGauge(
    registry,
    'endpoints_failing',
    'Those of them that have failed since their last success.',
  );
  return (counts) => {
    setFailing(counts.failing);
    for (const circuit of circuitStates) endpoints.set({ circuit }, counts[circuit]);
  };
}

function webhookGauge(registry: Registry): (counts: Readonly<Record<WebhookState, number>>) => void {
  const states = ['active', 'paused', 'disabled', 'invalid'] as const satisfies readonly WebhookState[];
  const webhooks = gauge(registry, {
    name: 'webhook_configurations',
    help: 'Webhook configurations known, by state.',
    labels: { state: states },
  });
  return (counts) => {
    for (const state of states) webhooks.set({ state }, counts[state]);
  };
}

function plainGauge(registry: Registry, name: string, help: string): (value: number) => void {
  const plain = gauge(registry, { name, help, labels: {} });
  return (value) => plain.set(value);
}

export type PartitionStatus = Omit<PartitionProgress, 'unread' | 'unsettled' | 'readAt'>;

/** Creates the gauges of partitions. Each call of the result replaces all series, so lost partitions disappear. */
function createPartitionGauges(
  registry: Registry,
  known: KnownTopics,
): (partitions: readonly PartitionStatus[]) => void {
  const topics = consumedTopics(known);
  const partitionLabels = { topic: [], partition: [] };
  const lag = gauge(registry, {
    name: 'consumer_lag_records',
    help: 'Records from the committed offset to the end of the partition.',
    labels: partitionLabels,
  });
  const uncommitted = gauge(registry, {
    name: 'uncommitted_records',
    help: 'Records from the committed offset to the highest one received.',
    labels: partitionLabels,
  });
  const oldest = gauge(registry, {
    name: 'oldest_unsettled_record_timestamp_seconds',
    help: 'Timestamp of the oldest unsettled record; no sample when none is unsettled.',
    labels: { topic: [] },
  });
  const assigned = gauge(registry, {
    name: 'assigned_partitions',
    help: 'Partitions assigned to this instance.',
    labels: { topic: topics },
  });
  const paused = gauge(registry, {
    name: 'paused_partitions',
    help: 'Assigned partitions that are not read on at present, by the reason.',
    labels: { topic: topics, reason: pauseReasons },
  });
  return (partitions) => {
    for (const family of [lag, uncommitted, oldest, assigned, paused]) family.reset();
    for (const topic of topics) assigned.set({ topic }, 0);
    for (const topic of new Set([...topics, ...partitions.map((partition) => partition.topic)])) {
      for (const reason of pauseReasons) paused.set({ topic, reason }, 0);
    }
    for (const { topic, partition, ...status } of partitions) {
      if (status.lag !== undefined) lag.set({ topic, partition }, status.lag);
      uncommitted.set({ topic, partition }, status.uncommitted);
      assigned.inc({ topic });
      if (status.pausedBy !== undefined) paused.inc({ topic, reason: status.pausedBy });
    }
    for (const topic of known.certificateTopics) {
      const at = oldestOf(partitions.filter((partition) => partition.topic === topic));
      if (at !== undefined) oldest.set({ topic }, at / 1000);
    }
  };
}

export function oldestOf(partitions: readonly PartitionStatus[]): number | undefined {
  const times = partitions.map(({ oldestUnsettledAt }) => oldestUnsettledAt).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}
