import type { Gates } from '../deliveries/gates/gates.ts';
import type { GaugeSource, UnsettledStatus } from '../telemetry/metrics/gauges.ts';
import type { Reader } from './readers.ts';
import type { Webhooks } from './webhook-directory.ts';

interface GaugeOptions {
  readonly gates: Gates;
  readonly webhooks: Webhooks;
  readonly readers: readonly Reader[];
}

/** Returns the sources of the gauges, over both groups. */
export function gaugeSource({ gates, webhooks, readers }: GaugeOptions): GaugeSource {
  return {
    pools: () => gates.pools(),
    endpoints: () => gates.endpoints(),
    unsettled: () => unsettledOf(readers),
    webhooks: () => webhooks.counts(),
    configurationsLag: () => webhooks.lagRecords(),
    partitions: () => readers.flatMap((reader) => reader.progress()),
  };
}

/** Returns what the readers hold, and their current limits, as sums. */
export function unsettledOf(readers: readonly Pick<Reader, 'limits'>[]): UnsettledStatus {
  const sum = (amountIn: (limits: Reader['limits']) => number): number =>
    readers.reduce((total, { limits }) => total + amountIn(limits), 0);
  return {
    records: sum(({ records }) => records),
    recordsLimit: sum(({ maxRecords }) => maxRecords),
    bytes: sum(({ bytes }) => bytes),
    bytesLimit: sum(({ maxBytes }) => maxBytes),
  };
}
