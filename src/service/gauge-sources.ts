import type { Gates } from '../flow/gates.ts';
import type { TierWatch } from '../kafka/topics/tier-watch.ts';
import type { GaugeSource, UnsettledStatus } from '../telemetry/metrics/gauges.ts';
import type { Reader } from './readers.ts';
import type { Webhooks } from './webhook-directory.ts';

interface GaugeOptions {
  readonly gates: Gates;
  readonly webhooks: Webhooks;
  readonly readers: readonly Reader[];
  readonly tierWatch: Pick<TierWatch, 'problems'>;
}

export function gaugeSource({ gates, webhooks, readers, tierWatch }: GaugeOptions): GaugeSource {
  return {
    pools: () => gates.pools(),
    endpoints: () => gates.endpoints(),
    unsettled: () => unsettledOf(readers),
    webhooks: () => webhooks.counts(),
    configurationsLag: () => webhooks.lagRecords(),
    unsafeTiers: () => tierWatch.problems().length,
    partitions: () => readers.flatMap((reader) => reader.progress()),
  };
}

/** Returns what the readers hold, and their limits, as sums. */
export function unsettledOf(readers: readonly Pick<Reader, 'flow'>[]): UnsettledStatus {
  const sum = (amountIn: (flow: Reader['flow']) => number): number =>
    readers.reduce((total, { flow }) => total + amountIn(flow), 0);
  return {
    records: sum(({ held }) => held.records),
    recordsLimit: sum(({ limits }) => limits.maxRecords),
    bytes: sum(({ held }) => held.bytes),
    bytesLimit: sum(({ limits }) => limits.maxBytes),
  };
}
