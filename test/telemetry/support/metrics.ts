import { createMetrics, type Metrics } from '../../../src/telemetry/metrics/metrics.ts';

/** Creates the metrics of a service that reads two topics and has two tiers. */
export function someMetrics(): Metrics {
  return createMetrics({
    version: '1.2.3',
    certificateTopics: ['certificates.completed', 'certificates.expired'],
    tiers: [
      { topic: 'retry.10s', label: '10s' },
      { topic: 'retry.1m', label: '1m' },
    ],
  });
}
