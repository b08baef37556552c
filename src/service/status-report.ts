import {
  endpointsStatus,
  selectedEndpoints,
  type EndpointSelection,
  type EndpointSources,
  type EndpointStatus,
} from '../flow/endpoint-status.ts';
import type { Gates } from '../flow/gates.ts';
import type { PartitionProgress } from '../kafka/consumer/partition-progress.ts';
import type { HeldByTopic } from '../kafka/consumer/retry-intake.ts';
import { tierTopicsIn } from '../kafka/topics/wanted-topics.ts';
import { wallTimeAt, type Clock } from '../lib/clock.ts';
import type { Settings } from '../settings.ts';
import type { Readiness } from '../telemetry/admin/readiness.ts';
import type { ReadingStatus, Status, TierStatus } from '../telemetry/admin/status/status.ts';
import type { TierWatch } from '../kafka/topics/tier-watch.ts';
import type { GaugeSource, UnsettledStatus } from '../telemetry/metrics/gauges.ts';
import type { Liveness } from './liveness.ts';
import type { Reader } from './readers.ts';
import { configuredTiers } from './configured-topics.ts';
import type { Webhooks } from './webhook-directory.ts';

interface StatusOptions {
  readonly settings: Settings;
  readonly version: string;
  /** Name of this process in its groups. */
  readonly instance: string;
  readonly gates: Gates;
  readonly readiness: Readiness;
  readonly liveness: Liveness;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

interface ReadingSources extends Pick<EndpointSources, 'certificates'> {
  readonly webhooks: Webhooks;
  readonly readers: readonly Reader[];
  readonly held: () => HeldByTopic;
}

/** The directory until the configurations are read. No endpoint is used before. */
const emptyDirectory: EndpointSources['directory'] = { byId: () => undefined, ofOwner: () => [] };

/**
 * Collects the state of this instance for the status page and `/endpoints`. Owns the time of its start, and the sources that it asks.
 *
 * `startService` creates it before the admin server, and calls `addReading` once the readers have started. `reading` is missing
 * in the snapshots before that.
 *
 * Promises:
 * - Each snapshot asks all sources again. Only the lag is older, because `LagMonitor` asks the brokers at an interval.
 * - A snapshot sends no request and waits for nothing. The page also works while Kafka cannot be reached.
 * - It contains no secret: `settings.effective` hides them.
 * - The page is available while the start waits for Kafka. Then an operator needs it most.
 */
export class StatusReport {
  readonly #options: StatusOptions;
  readonly #startedAt: number;
  #reading: ReadingSources | undefined;

  constructor(options: StatusOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
  }

  addReading(reading: ReadingSources): void {
    this.#reading = reading;
  }

  snapshot(): Status {
    const { settings, version, instance, gates, readiness, liveness, clock } = this.#options;
    const at = clock.now();
    const startedAt = wallTimeAt(clock, this.#startedAt);
    return {
      at,
      instance: { name: instance, version, nodeVersion: process.versions.node, startedAt },
      missing: readiness.missing(),
      stalled: liveness.stalled(),
      pools: gates.pools(),
      endpoints: endpointsStatus(this.#endpointSources),
      settings: settings.effective,
      reading: this.#reading && this.#readingStatus(this.#reading),
    };
  }

  /**
   * Returns the selected endpoints. Without a selection, returns those with the most failures, then others with the most
   * waiting deliveries, then those whose certificates are about to expire. Returns undefined for a selection while the configurations are not known yet.
   */
  endpoints(selection: EndpointSelection | undefined): readonly EndpointStatus[] | undefined {
    if (selection === undefined) {
      const { failing, crowded, expiring } = endpointsStatus(this.#endpointSources);
      const all = [...failing.first, ...crowded.first, ...expiring.first];
      return [...new Map(all.map((endpoint) => [endpoint.configurationId, endpoint])).values()];
    }
    return this.#reading && selectedEndpoints(selection, this.#endpointSources);
  }

  get #endpointSources(): EndpointSources {
    const { gates, clock } = this.#options;
    const { webhooks = emptyDirectory, certificates } = this.#reading ?? {};
    return { gates, directory: webhooks, clock, certificates };
  }

  #readingStatus({ webhooks, readers, held }: ReadingSources): ReadingStatus {
    const { settings } = this.#options;
    const partitions = readers.flatMap((reader) => reader.progress());
    return {
      unsettled: unsettledOf(readers),
      webhooks: webhooks.counts(),
      tiers: tierStatuses({
        configured: configuredTiers(settings).map(({ topic }) => topic),
        prefix: settings.retry.topicPrefix,
        partitions,
        held: held(),
      }),
      partitions,
    };
  }
}

export interface TierStatusOptions {
  readonly configured: readonly string[];
  /** `RETRY_TOPIC_PREFIX`. Topics with other names are ignored. */
  readonly prefix: string;
  readonly partitions: readonly PartitionProgress[];
  readonly held: HeldByTopic;
}

/**
 * Returns the status of each tier, including tiers that are read but no longer configured. The waiting records are those
 * held in memory and those not read yet. Their number is unknown while it is unknown for one partition.
 */
export function tierStatuses({ configured, prefix, partitions, held }: TierStatusOptions): readonly TierStatus[] {
  const topics = new Set([...configured, ...partitions.map(({ topic }) => topic)]);
  return tierTopicsIn([...topics], prefix).map(({ topic, label }) => {
    const ofTopic = partitions.filter((partition) => partition.topic === topic);
    const { records = 0, nextDueAt } = held.get(topic) ?? {};
    const unread = ofTopic.map((partition) => partition.unread).filter((number) => number !== undefined);
    return {
      topic,
      label,
      isConfigured: configured.includes(topic),
      partitions: ofTopic.length,
      waiting: unread.length < ofTopic.length ? undefined : unread.reduce((sum, number) => sum + number, records),
      nextDueAt,
    };
  });
}

interface GaugeOptions extends Pick<ReadingSources, 'webhooks' | 'readers'> {
  readonly gates: Gates;
  readonly tierWatch: Pick<TierWatch, 'unsafeTiers'>;
}

export function gaugeSource({ gates, webhooks, readers, tierWatch }: GaugeOptions): GaugeSource {
  return {
    pools: () => gates.pools(),
    endpoints: () => gates.endpoints(),
    unsettled: () => unsettledOf(readers),
    webhooks: () => webhooks.counts(),
    configurationsLag: () => webhooks.lagRecords(),
    unsafeTiers: () => tierWatch.unsafeTiers(),
    partitions: () => readers.flatMap((reader) => reader.progress()),
  };
}

/** Returns what the readers hold, and their limits, as sums. */
function unsettledOf(readers: readonly Pick<Reader, 'flow'>[]): UnsettledStatus {
  const sum = (amountIn: (flow: Reader['flow']) => number): number =>
    readers.reduce((total, { flow }) => total + amountIn(flow), 0);
  return {
    records: sum(({ held }) => held.records),
    recordsLimit: sum(({ limits }) => limits.maxRecords),
    bytes: sum(({ held }) => held.bytes),
    bytesLimit: sum(({ limits }) => limits.maxBytes),
  };
}
