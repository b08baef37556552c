import type { Registry } from 'prom-client';
import { eventTypes } from '../../certificates/certificate.ts';
import { attemptOutcomes } from '../../deliveries/outcome.ts';
import { histogram } from './families.ts';
import { tierLabels, type KnownTopics } from './known-topics.ts';

export type Histograms = ReturnType<typeof createHistograms>;

/** Buckets of a request's duration in seconds. The default timeout of 15 s is a bound, so that timeouts stand out. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** Buckets of a record's age in seconds, from 10 ms to the default `DELIVERY_MAX_AGE` of 3 days. */
const ageSeconds = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 10_800, 43_200, 86_400, 259_200,
];

/** Buckets in seconds for delays that should be near zero. */
const latenessSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

export function createHistograms(registry: Registry, known: KnownTopics) {
  return {
    deliveryDuration: histogram(registry, {
      name: 'delivery_duration_seconds',
      help: 'Duration of an attempt, from leaving the waiting room to the response head or the failure.',
      labels: { outcome: attemptOutcomes },
      buckets: requestSeconds,
    }),
    deliveryLatency: histogram(registry, {
      name: 'delivery_latency_seconds',
      help: 'Time from the timestamp of a record to the 2xx of a delivery.',
      labels: { event_type: eventTypes },
      buckets: ageSeconds,
    }),
    queueDelay: histogram(registry, {
      name: 'queue_delay_seconds',
      help: 'Time from the timestamp of a record to the start of the first attempt of a delivery.',
      labels: { event_type: eventTypes },
      buckets: ageSeconds,
    }),
    retryLateness: histogram(registry, {
      name: 'retry_lateness_seconds',
      help: 'Time from when a delivery was due in its tier to the start of its attempt.',
      labels: { tier: tierLabels(known) },
      buckets: latenessSeconds,
    }),
  };
}
