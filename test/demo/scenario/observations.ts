import { readTopic, type RecordRead } from '../../support/kafka/records.ts';
import type { SubscriberEndpoint } from '../subscribers/endpoints.ts';
import type { Subscriber } from '../subscribers/subscribers.ts';
import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import { lagByTopic, readingAs } from '../environment/cluster.ts';
import type { Names } from '../environment/service-environment.ts';
import type { Stage } from '../environment/environment.ts';
import type { Attempt } from './attempt.ts';
import type { Journal } from './service-log.ts';
import { readMetrics, type MetricsPage } from './metrics-page.ts';
import type { Plot } from './scenario.ts';
import type { Produced } from './production.ts';

/** What one endpoint got. */
export interface Receipts {
  readonly subscriber: Subscriber;
  /** `host:port` of the endpoint. */
  readonly host: string;
  readonly requests: readonly ReceivedRequest[];
}

/** All that is known at the end: what went in, what came out, and what the service says of it. */
export interface Evidence {
  readonly names: Names;
  readonly produced: readonly Produced[];
  readonly receipts: readonly Receipts[];
  readonly attempts: readonly Attempt[];
  readonly deadLetters: readonly RecordRead[];
  readonly lag: Readonly<Record<string, number>>;
  readonly metrics: MetricsPage;
  readonly log: Pick<Journal, 'text' | 'lines' | 'unreadable'>;
}

export async function collectEvidence(
  { kafka, names, endpoints, service }: Stage,
  { journal, produced }: Plot,
): Promise<Evidence> {
  const [deadLetters, lag, metrics] = await service.whileUp(
    Promise.all([
      readTopic(readingAs(`${names.group}.onlooker`, kafka), names.deadLetters),
      lagByTopic(kafka, names),
      service.get('/metrics'),
    ]),
  );
  return {
    names,
    produced: [...produced],
    receipts: endpoints.map(receiptsOf),
    attempts: [...journal.attempts],
    deadLetters,
    lag,
    metrics: readMetrics(metrics.body),
    log: { text: [...journal.text], lines: [...journal.lines], unreadable: [...journal.unreadable] },
  };
}

function receiptsOf({ subscriber, endpoint }: SubscriberEndpoint): Receipts {
  return { subscriber, host: new URL(endpoint.url()).host, requests: endpoint.requests };
}
