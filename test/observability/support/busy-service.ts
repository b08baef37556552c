import { status, type Answer } from '../../support/endpoints/answers.ts';
import { json } from '../../support/builders.ts';
import { produce } from '../../support/kafka/records.ts';
import { uniqueName } from '../../support/kafka/topics.ts';
import { longTimeouts, startPlatform, type Platform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

/** Two instances of the service, with every event that a test can cause within seconds. */
export interface BusyService extends AsyncDisposable {
  readonly urls: readonly string[];
  /** Resolves once all events are caused. One delivery stays in flight until the end. */
  begin(): Promise<void>;
  /** Resolves with the metrics of one instance as text. */
  metrics(): Promise<string>;
}

export async function startBusyService(): Promise<BusyService> {
  await using parts = new AsyncDisposableStack();
  const environment = {
    ...longTimeouts,
    // The slow endpoint must not time out during the test.
    DELIVERY_TIMEOUT: '100s',
    SHUTDOWN_GRACE: '105s',
    CIRCUIT_FAILURES: '5',
    LOG_LEVEL: 'info',
  };
  const platform = parts.use(await startPlatform({ partitions: 2, delays: ['300ms', '600ms'], environment }));
  const one = parts.use(await runService(platform.environment));
  const other = parts.use(await runService(platform.environment));
  const { promise: released, resolve } = Promise.withResolvers<undefined>();
  parts.defer(() => resolve(undefined));
  const owned = parts.move();
  return {
    urls: [one.url, other.url],
    begin: async () => {
      await deliver(platform, released);
      await deliverTraced(platform);
      await writeUnusual(platform);
    },
    metrics: async () => (await one.get('/metrics')).body,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Delivers to endpoints that succeed, recover, answer slowly, fail, and cannot be reached. */
async function deliver(platform: Platform, released: Promise<undefined>): Promise<void> {
  const slowly: Answer = (exchange) => void released.then(() => status(200)(exchange));
  const many = [aSubscriber(platform), aSubscriber(platform, { answers: [500] })];
  const single = [
    aSubscriber(platform, { answers: [slowly] }),
    aSubscriber(platform, { answers: [500, 200] }),
    aSubscriber(platform, { answers: [404] }),
    ...['https://nowhere.onion/', 'https://10.0.0.1/', 'https://localhost:1/'].map((url) =>
      aSubscriber(platform, { url }),
    ),
  ];
  await platform.configure(...[...many, ...single].map((subscriber) => subscriber.configuration()));
  const documents = [...many.flatMap((each) => each.certificates(20)), ...single.map((each) => each.certificate())];
  await platform.complete(...documents);
  await platform.expire(...documents);
}

/** The trace of one record. */
export const traceId = '0af7651916cd43dd8448eb211c80319c';

async function deliverTraced(platform: Platform): Promise<void> {
  const subscriber = aSubscriber(platform);
  await platform.configure(subscriber.configuration());
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await produce(platform.kafka, platform.topics.completed, [{ value: json(subscriber.certificate()), headers }]);
}

/** Writes unusual and invalid records and configurations. */
async function writeUnusual(platform: Platform): Promise<void> {
  const paused = aSubscriber(platform);
  const refused = aSubscriber(platform);
  await platform.configure(
    paused.configuration({ paused: true }),
    refused.configuration({ url: 'http://localhost/private/' }),
  );
  await platform.complete(
    paused.certificate({ expires: undefined }),
    refused.certificate(),
    paused.certificate({ _ownerId: uniqueName('nobody') }),
    Buffer.from('not a certificate'),
    { _id: 'not a certificate' },
    null,
  );
}
