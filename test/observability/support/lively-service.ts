import { status, type Answer } from '../../support/endpoints/answers.ts';
import { uniqueName } from '../../support/kafka/topics.ts';
import { longTimeouts, startPlatform, type Platform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

/** Two instances of the service, to which everything happens that a test can bring about in some seconds. */
export interface LivelyService extends AsyncDisposable {
  readonly urls: readonly string[];
  /** Resolves once all causes are there; one delivery stays under way until the end. */
  begin(): Promise<void>;
  /** The text of the metrics of one instance. */
  metrics(): Promise<string>;
}

export async function startLivelyService(): Promise<LivelyService> {
  await using parts = new AsyncDisposableStack();
  const environment = {
    ...longTimeouts,
    // The slow endpoint is given all the time that the test takes.
    DELIVERY_TIMEOUT: '100s',
    SHUTDOWN_GRACE: '105s',
    CIRCUIT_FAILURES: '5',
    LOG_LEVEL: 'info',
  };
  const platform = parts.use(await startPlatform({ partitions: 2, delays: ['300ms', '600ms'], environment }));
  const one = parts.use(await runService(platform.environment));
  const other = parts.use(await runService(platform.environment));
  const { promise: letGo, resolve } = Promise.withResolvers<undefined>();
  parts.defer(() => resolve(undefined));
  const owned = parts.move();
  return {
    urls: [one.url, other.url],
    begin: async () => {
      await deliver(platform, letGo);
      await puzzle(platform);
    },
    metrics: async () => (await one.get('/metrics')).body,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Endpoints that answer well, at last, slowly, badly, and not at all. */
async function deliver(platform: Platform, letGo: Promise<undefined>): Promise<void> {
  const slowly: Answer = (exchange) => void letGo.then(() => status(200)(exchange));
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

/** Records and configurations that are odd in one way or another. */
async function puzzle(platform: Platform): Promise<void> {
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
    Buffer.from('this is no certificate'),
    { _id: 'nor is this' },
    null,
  );
}
