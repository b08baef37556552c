import { z } from 'zod';
import { readTopic, type RecordRead } from '../../support/kafka/records.ts';
import type { SubscriberEndpoint } from '../subscribers/endpoints.ts';
import type { Subscriber } from '../subscribers/subscribers.ts';
import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import { lagByTopic, withConsumerGroup } from '../environment/cluster.ts';
import type { TopicNames } from '../../support/service/topic-names.ts';
import type { DemoEnvironment } from '../environment/environment.ts';
import type { Attempt, ServiceLog } from './service-log.ts';
import type { ProducedCertificate } from './production.ts';

/** The requests received by one endpoint. */
export interface Receipts {
  readonly subscriber: Subscriber;
  /** `host:port` of the endpoint. */
  readonly host: string;
  readonly requests: readonly ReceivedRequest[];
}

/** Everything known after the run: records, requests, dead letters, and what the service reports. */
export interface Observations {
  readonly names: TopicNames;
  readonly produced: readonly ProducedCertificate[];
  readonly receipts: readonly Receipts[];
  readonly attempts: readonly Attempt[];
  readonly deadLetters: readonly RecordRead[];
  /** The notices of the example consumer to the owners of webhooks. */
  readonly notices: readonly string[];
  readonly lag: Readonly<Record<string, number>>;
  readonly results: readonly Result[];
  /** The answer of `/metrics`. */
  readonly metrics: string;
  readonly log: Pick<ServiceLog, 'text' | 'lines' | 'unreadable'>;
}

export async function collectObservations(
  { kafka, names, endpoints, service, notices, log }: DemoEnvironment,
  produced: readonly ProducedCertificate[],
): Promise<Observations> {
  const [deadLetters, results, lag, metrics] = await service.whileRunning(
    Promise.all([
      readTopic(withConsumerGroup(`${names.group}.observer`, kafka), names.deadLetters),
      readTopic(withConsumerGroup(`${names.group}.history`, kafka), names.results),
      lagByTopic(kafka, names),
      service.get('/metrics'),
    ]),
  );
  return {
    names,
    produced,
    receipts: endpoints.map(receiptsOf),
    attempts: [...log.attempts],
    deadLetters,
    results: parseResults(results),
    notices: [...notices],
    lag,
    metrics: metrics.body,
    log: { text: [...log.text], lines: [...log.lines], unreadable: [...log.unreadable] },
  };
}

function receiptsOf({ subscriber, endpoint }: SubscriberEndpoint): Receipts {
  return { subscriber, host: new URL(endpoint.url()).host, requests: endpoint.requests };
}

/** The fields of the results topic that the demo shows. */
const result = z.looseObject({
  type: z.string(),
  at: z.string(),
  configurationId: z.string(),
  deliveryId: z.string().optional(),
  attempt: z.number().optional(),
  outcome: z.string().optional(),
  status: z.number().optional(),
  settlement: z.string().optional(),
  reason: z.string().optional(),
});

type Result = Readonly<z.infer<typeof result>>;

/** Throws for a record of another form. */
function parseResults(records: readonly Pick<RecordRead, 'value'>[]): readonly Result[] {
  return records.map(({ value }) => result.parse(JSON.parse(value?.toString('utf8') ?? 'null')));
}
