import type { EndpointStatus } from '../../../src/flow/endpoint-status.ts';
import type { PartitionStatus } from '../../../src/telemetry/metrics/gauges.ts';
import type { ReadingStatus, Status } from '../../../src/telemetry/admin/status/status.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 5);

/** Returns the status of a healthy instance that reads one partition, at 12:00:05 UTC. No endpoint fails. */
export function aStatus(overrides: Partial<Status> = {}): Status {
  return {
    at: now,
    instance: { name: 'worker-1-5f2c', version: '1.2.3', nodeVersion: '24.21.0', startedAt: now - 7_800_000 },
    missing: [],
    stalled: [],
    pools: [
      { pool: 'first', inFlight: 30, limit: 384, waiting: 10 },
      { pool: 'retry', inFlight: 7, limit: 128, waiting: 2 },
    ],
    endpoints: {
      circuits: { closed: 12, open: 0, half_open: 0 },
      failing: { total: 0, first: [] },
      crowded: { total: 0, first: [] },
      expiring: { total: 0, first: [] },
    },
    settings: [{ title: 'Kafka', settings: [{ name: 'KAFKA_BROKERS', value: 'kafka:9092', origin: 'set' }] }],
    reading: aReadingStatus(),
    ...overrides,
  };
}

export function aReadingStatus(overrides: Partial<ReadingStatus> = {}): ReadingStatus {
  return {
    unsettled: { records: 1204, recordsLimit: 10_000, bytes: 640 * 1024, bytesLimit: 64 * 1024 ** 2 },
    webhooks: { active: 20, paused: 1, disabled: 2, invalid: 0 },
    tiers: [{ topic: 'retry.10s', label: '10s', isConfigured: true, partitions: 1, waiting: 0, nextDueAt: undefined }],
    partitions: [aPartitionStatus()],
    ...overrides,
  };
}

export function aPartitionStatus(overrides: Partial<PartitionStatus> = {}): PartitionStatus {
  return {
    topic: 'certificates.completed',
    partition: 0,
    lag: 5,
    uncommitted: 3,
    pausedBy: undefined,
    oldestUnsettledAt: now - 4000,
    ...overrides,
  };
}

/** Returns the status of an endpoint that has failed three times, last with a 503. */
export function anEndpointStatus(overrides: Partial<EndpointStatus> = {}): EndpointStatus {
  return {
    configurationId: '665f1f77bcf86cd799439011',
    ownerId: '665f1f77bcf86cd799439000',
    state: 'active',
    host: 'hooks.example.com',
    circuit: 'closed',
    openUntil: undefined,
    health: 'failing',
    failures: 3,
    failingSince: now - 72_000,
    inFlight: 1,
    waiting: 0,
    lastOutcome: 'http_error',
    lastStatus: 503,
    lastMessage: 'answered 503',
    lastOutcomeAt: now - 12_000,
    ...overrides,
  };
}
