import { startWebhookTopic } from '../kafka/reader/webhook-topic.ts';
import { unlessAborted } from '../lib/aborted.ts';
import { isInRanges } from '../lib/port-range.ts';
import { WebhookDirectory, type ConfigurationSink } from '../webhooks/directory.ts';
import { startFileSource } from '../webhooks/files/file-source.ts';
import { startKeysFile } from '../webhooks/files/keys-file.ts';
import { OpeningSink } from '../webhooks/opening-sink.ts';
import type { Directory, WebhookState } from '../webhooks/webhook.ts';
import type { ServiceContext } from './service-context.ts';

export interface Webhooks extends Directory, AsyncDisposable {
  counts(): Readonly<Record<WebhookState, number>>;
  /** Of the configurations topic; none when they come from files. */
  lagRecords(): number;
}

/** What the webhooks are read with. */
type WebhooksOptions = Pick<ServiceContext, 'settings' | 'kafka' | 'framed' | 'events' | 'clock' | 'signal'>;

/** Resolves once the directory is complete. */
export async function startWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { settings, events, signal } = options;
  await using stack = new AsyncDisposableStack();
  const directory = new WebhookDirectory(
    { isAllowedPort: (port) => isInRanges(settings.egress.allowedPorts, port) },
    events,
  );
  const opening = await startOpening(directory, options, stack);
  const source = stack.use(await startSource(opening ?? directory, options));
  await unlessAborted(signal, opening?.settled() ?? Promise.resolve());
  const owned = stack.move();
  return {
    ofOwner: (ownerId) => directory.ofOwner(ownerId),
    byId: (id) => directory.byId(id),
    counts: () => directory.counts(),
    caughtUp: async () => {
      await source.caughtUp();
      await opening?.settled();
    },
    lagRecords: () => (source.lagRecords?.() ?? 0) + (opening?.waiting ?? 0),
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  };
}

/** Without keys nothing can be opened, and what is sealed is refused by the directory itself. */
async function startOpening(
  sink: ConfigurationSink,
  { settings: { webhooks }, events, clock, signal }: WebhooksOptions,
  stack: AsyncDisposableStack,
): Promise<OpeningSink | undefined> {
  if (webhooks.keysFile === undefined) return undefined;
  const opening = stack.use(new OpeningSink({ sink, requireSealed: webhooks.requireSealed }));
  const keysFile = await startKeysFile({
    path: webhooks.keysFile,
    use: (keys) => opening.useKeys(keys),
    events: {
      reloaded: (reloaded) => events.keysReloaded(reloaded),
      reloadFailed: (failure) => events.configurationReloadFailed(failure),
    },
    clock,
    signal,
  });
  stack.use(keysFile);
  return opening;
}

interface WebhookSource extends AsyncDisposable {
  caughtUp(): Promise<void>;
  lagRecords?(): number;
}

async function startSource(directory: ConfigurationSink, options: WebhooksOptions): Promise<WebhookSource> {
  const { settings, events, clock, signal } = options;
  const { source } = settings.webhooks;
  switch (source.kind) {
    case 'file':
      return startFileSource({
        path: source.path,
        directory,
        events: {
          reloaded: (reloaded) => events.configurationsReloaded(reloaded),
          reloadFailed: (failure) => events.configurationReloadFailed(failure),
        },
        clock,
        signal,
      });
    case 'kafka':
      return startTopicSource(source.topic, directory, options);
  }
}

async function startTopicSource(
  topic: string,
  table: ConfigurationSink,
  { kafka, framed, events, clock, signal }: WebhooksOptions,
): Promise<WebhookSource> {
  const source = startWebhookTopic({ kafka, topic, table, framed, events, clock });
  try {
    await unlessAborted(signal, source.complete);
    return source;
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
}
