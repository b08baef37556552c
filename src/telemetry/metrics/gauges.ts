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

/** The meanings of the gauges, each by its name without the common prefix. */
const helps = {
  in_flight_deliveries: 'Requests out at present.',
  in_flight_deliveries_limit: 'Requests that may be out at once.',
  waiting_deliveries: 'Deliveries in the waiting rooms of their endpoints.',
  unsettled_records: 'Records read and not yet settled.',
  unsettled_records_limit: 'Limit of the unsettled records of all partitions.',
  unsettled_bytes: 'Bytes of the unsettled records.',
  unsettled_bytes_limit: 'Limit of the unsettled bytes of all partitions.',
  endpoints: 'Endpoints that this instance has lately delivered to, by their circuit.',
  endpoints_failing: 'Those of them that have failed since their last success.',
  webhook_configurations: 'Webhook configurations known, by state.',
  webhook_configurations_lag_records: 'Records of the configurations topic not yet read.',
  unsafe_tiers: 'Configured tiers that are not written to, because their topics are missing or would lose retries.',
  consumer_lag_records: 'Records from the committed offset to the end of the partition.',
  uncommitted_records: 'Records from the committed offset to the highest one received.',
  oldest_unsettled_record_timestamp_seconds:
    'Timestamp of the oldest unsettled record; no sample when none is unsettled.',
  assigned_partitions: 'Partitions assigned to this instance.',
  paused_partitions: 'Assigned partitions that are not read on at present, by the reason.',
};

function gaugesIn(registry: Registry) {
  return <Label extends string = never>(name: keyof typeof helps, labels: Readonly<Record<Label, readonly string[]>>) =>
    gauge(registry, { name, help: helps[name], labels });
}
type Create = ReturnType<typeof gaugesIn>;

/** Creates all gauges. Returns the function that sets them from a source. */
export function createGauges(registry: Registry, known: KnownTopics): (source: Partial<GaugeSource>) => void {
  const create = gaugesIn(registry);
  const setPools = poolGauges(create);
  const setUnsettled = unsettledGauges(create);
  const setEndpoints = endpointGauges(create);
  const setWebhooks = webhookGauge(create);
  const configurationsLag = create('webhook_configurations_lag_records', {});
  const unsafeTiers = create('unsafe_tiers', {});
  const setPartitions = partitionGauges(create, known);
  return (source) => {
    if (source.pools !== undefined) setPools(source.pools());
    if (source.unsettled !== undefined) setUnsettled(source.unsettled());
    if (source.endpoints !== undefined) setEndpoints(source.endpoints());
    if (source.webhooks !== undefined) setWebhooks(source.webhooks());
    if (source.configurationsLag !== undefined) configurationsLag.set(source.configurationsLag());
    if (source.unsafeTiers !== undefined) unsafeTiers.set(source.unsafeTiers());
    if (source.partitions !== undefined) setPartitions(source.partitions());
  };
}

function poolGauges(create: Create): (statuses: readonly PoolStatus[]) => void {
  const inFlight = create('in_flight_deliveries', { attempt: pools });
  const limit = create('in_flight_deliveries_limit', { attempt: pools });
  const waiting = create('waiting_deliveries', { attempt: pools });
  return (statuses) => {
    for (const { pool: attempt, ...status } of statuses) {
      inFlight.set({ attempt }, status.inFlight);
      limit.set({ attempt }, status.limit);
      waiting.set({ attempt }, status.waiting);
    }
  };
}

function unsettledGauges(create: Create): (status: UnsettledStatus) => void {
  const records = create('unsettled_records', {});
  const recordsLimit = create('unsettled_records_limit', {});
  const bytes = create('unsettled_bytes', {});
  const bytesLimit = create('unsettled_bytes_limit', {});
  return (status) => {
    records.set(status.records);
    recordsLimit.set(status.recordsLimit);
    bytes.set(status.bytes);
    bytesLimit.set(status.bytesLimit);
  };
}

function endpointGauges(create: Create): (counts: EndpointCounts) => void {
  const endpoints = create('endpoints', { circuit: circuitStates });
  const failing = create('endpoints_failing', {});
  return (counts) => {
    failing.set(counts.failing);
    for (const circuit of circuitStates) endpoints.set({ circuit }, counts[circuit]);
  };
}

function webhookGauge(create: Create): (counts: Readonly<Record<WebhookState, number>>) => void {
  const states = ['active', 'paused', 'disabled', 'invalid'] as const satisfies readonly WebhookState[];
  const webhooks = create('webhook_configurations', { state: states });
  return (counts) => {
    for (const state of states) webhooks.set({ state }, counts[state]);
  };
}

export type PartitionStatus = Omit<PartitionProgress, 'unread' | 'unsettled' | 'readAt'>;

/** Creates the gauges of partitions. Each call of the result replaces all series, so lost partitions disappear. */
function partitionGauges(create: Create, known: KnownTopics): (partitions: readonly PartitionStatus[]) => void {
  const topics = consumedTopics(known);
  const lag = create('consumer_lag_records', { topic: [], partition: [] });
  const uncommitted = create('uncommitted_records', { topic: [], partition: [] });
  const oldest = create('oldest_unsettled_record_timestamp_seconds', { topic: [] });
  const assigned = create('assigned_partitions', { topic: topics });
  const paused = create('paused_partitions', { topic: topics, reason: pauseReasons });
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
