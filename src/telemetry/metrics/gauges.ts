import type { Registry } from 'prom-client';
import { circuitStates, type CircuitState } from '../../flow/circuit.ts';
import { pools } from '../../deliveries/delivery.ts';
import type { PoolStatus } from '../../flow/capacity.ts';
import type { WebhookState } from '../../webhooks/webhook.ts';
import { gauge } from './families.ts';
import type { KnownTopics } from './known-topics.ts';
import { createPartitionGauges, type PartitionStatus } from './partition-gauges.ts';

/** The sources of the gauges. They are read at each scrape, so they must be fast and must not throw. */
export interface GaugeSource {
  readonly pools: () => readonly PoolStatus[];
  readonly unsettled: () => UnsettledStatus;
  readonly endpoints: () => Readonly<Record<CircuitState, number>>;
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
  const setEndpoints = endpointGauge(registry);
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

function endpointGauge(registry: Registry): (counts: Readonly<Record<CircuitState, number>>) => void {
  const endpoints = gauge(registry, {
    name: 'endpoints',
    help: 'Endpoints that this instance has lately delivered to, by their circuit.',
    labels: { circuit: circuitStates },
  });
  return (counts) => {
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
