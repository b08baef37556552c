import type { Gates } from '../deliveries/gates.ts';
import type { GaugeSource } from '../telemetry/gauges.ts';
import type { Reader } from './readers.ts';
import type { Webhooks } from './webhooks.ts';

export interface GaugeParts {
  readonly gates: Gates;
  readonly webhooks: Webhooks;
  readonly readers: readonly Reader[];
}

/** What the gauges show, over both groups. */
export function gaugeSource({ gates, webhooks, readers }: GaugeParts): GaugeSource {
  const sum = (of: (reader: Reader) => number): number => readers.reduce((total, reader) => total + of(reader), 0);
  return {
    pools: () => gates.pools(),
    endpoints: () => gates.endpoints(),
    unsettled: () => ({
      records: sum(({ limits }) => limits.records),
      recordsLimit: sum(({ limits }) => limits.maxRecords),
      bytes: sum(({ limits }) => limits.bytes),
      bytesLimit: sum(({ limits }) => limits.maxBytes),
    }),
    webhooks: () => webhooks.counts(),
    configurationsLag: () => webhooks.lagRecords(),
    partitions: () => readers.flatMap((reader) => reader.progress()),
  };
}
