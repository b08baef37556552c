import type { LogMark } from '../kafka/consumer/commits/commit-metadata.ts';
import { askCommits } from '../kafka/reader/replacement-check.ts';
import { startWebhookTopic } from '../kafka/reader/webhook-topic.ts';
import type { TopicFollowerEvents } from '../kafka/reader/topic-follower.ts';
import { configurationRules } from '../settings.ts';
import { unlessAborted } from '../lib/aborted.ts';
import type { ConfigurationEvents } from '../telemetry/events/emit-configuration-events.ts';
import { WebhookDirectory, type ConfigurationSink } from '../webhooks/directory.ts';
import { DecodingSink } from '../webhooks/framed/decoding-sink.ts';
import type { OpeningSink } from '../webhooks/opening-sink.ts';
import type { Directory, WebhookState } from '../webhooks/webhook.ts';
import { wantedTopics } from './configured-topics.ts';
import type { ServiceContext } from './service-context.ts';

export interface Webhooks extends Directory, AsyncDisposable {
  counts(): Readonly<Record<WebhookState, number>>;
  /** Returns the changes that are not in the directory yet: unread records, and documents that are being opened. */
  lagRecords(): number;
  /** Returns what keeps it from being up to date. Nothing is planned while there is something. */
  problems(): readonly string[];
  /** Returns the configurations topic that was last complete. Undefined with files, and if the brokers report no ids. */
  completeTopic(): LogMark | undefined;
}

/** The events of reading webhooks from files or a topic. */
export type WebhooksEvents = ConfigurationEvents & TopicFollowerEvents;

interface WebhooksOptions extends Pick<ServiceContext, 'settings' | 'kafka' | 'framed' | 'clock' | 'signal'> {
  readonly events: WebhooksEvents;
  /** Takes a check that returns what keeps the directory from being up to date, from before the first read on. */
  readonly addCheck?: (check: () => readonly string[]) => void;
}

/**
 * Reads the webhooks from their source, and follows its changes. Resolves once the directory holds all of them. Disposing it
 * ends the reading.
 */
export async function startWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { settings, events, signal } = options;
  await using stack = new AsyncDisposableStack();
  const directory = new WebhookDirectory(configurationRules(settings), events);
  const openingSink = await startOpeningSink(directory, options, stack);
  // An owner that is being opened counts as unknown for that time.
  const hasOwner = (id: string): boolean =>
    openingSink?.isSettled !== false && directory.byId(id)?.plannedOwnerId !== undefined;
  const source = stack.use(await startSource(openingSink ?? directory, { ...options, hasOwner }));
  await unlessAborted(signal, openingSink?.settled() ?? Promise.resolve());
  const resources = stack.move();
  return {
    ofOwner: (ownerId) => directory.ofOwner(ownerId),
    byId: (id) => directory.byId(id),
    counts: () => directory.counts(),
    caughtUp: openingSink === undefined ? () => source.caughtUp() : () => caughtUp(source, openingSink),
    isComplete: () => source.isComplete(),
    lagRecords: () => (source.lagRecords?.() ?? 0) + (openingSink?.waiting ?? 0),
    problems: () => source.problems?.() ?? [],
    completeTopic: () => source.completeTopic?.(),
    [Symbol.asyncDispose]: async () => resources.disposeAsync(),
  };
}

async function caughtUp(source: WebhookSource, openingSink: OpeningSink): Promise<void> {
  await source.caughtUp();
  await openingSink.settled();
}

/** Opens sealed parts with the keys file. Without one, returns undefined, and the directory refuses sealed parts. */
async function startOpeningSink(
  sink: ConfigurationSink,
  { settings: { webhooks }, events, clock, signal }: WebhooksOptions,
  stack: AsyncDisposableStack,
): Promise<OpeningSink | undefined> {
  if (webhooks.keys?.file === undefined) return undefined;
  const { OpeningSink } = await import('../webhooks/opening-sink.ts');
  const { startKeysFile } = await import('../webhooks/files/keys-file.ts');
  const openingSink = stack.use(new OpeningSink({ sink, requireSealed: webhooks.requireSealed }));
  const keysFile = await startKeysFile({
    path: webhooks.keys.file,
    use: (keys) => openingSink.useKeys(keys),
    events,
    clock,
    signal,
  });
  stack.use(keysFile);
  return openingSink;
}

const registryAwaited = 'the schema registry: the owners of new webhook configurations are not known without it';

type SourceOptions = WebhooksOptions & Pick<ConstructorParameters<typeof DecodingSink>[0], 'hasOwner'>;

interface WebhookSource extends Pick<Directory, 'caughtUp' | 'isComplete'>, AsyncDisposable {
  lagRecords?(): number;
  problems?(): readonly string[];
  completeTopic?(): LogMark | undefined;
}

async function startSource(sink: ConfigurationSink, options: SourceOptions): Promise<WebhookSource> {
  const { settings, events, clock, signal } = options;
  const { source } = settings.webhooks;
  if (source.kind === 'kafka') return startTopicSource(source.topic, sink, options);
  const { startFileSource } = await import('../webhooks/files/file-source.ts');
  return startFileSource({ path: source.path, directory: sink, events, clock, signal });
}

async function startTopicSource(
  topic: string,
  sink: ConfigurationSink,
  { settings, kafka, framed, events, clock, signal, addCheck, hasOwner }: SourceOptions,
): Promise<WebhookSource> {
  await using stack = new AsyncDisposableStack();
  const decoding = stack.use(new DecodingSink({ sink, framed, hasOwner, clock }));
  const { certificates } = wantedTopics(settings);
  const isReplaced = askCommits({ kafka, groupId: settings.kafka.groupId, topics: certificates });
  const source = stack.use(startWebhookTopic({ kafka, topic, table: decoding, events, clock, isReplaced }));
  const problems = () => [source.status().problem ?? [], decoding.holding === 0 ? [] : registryAwaited].flat();
  addCheck?.(problems);
  await unlessAborted(signal, source.caughtUp());
  const resources = stack.move();
  return {
    caughtUp: () => source.caughtUp(),
    isComplete: () => source.isComplete(),
    lagRecords: () => source.status().lagRecords + decoding.holding,
    problems,
    completeTopic: () => source.complete,
    [Symbol.asyncDispose]: async () => resources.disposeAsync(),
  };
}
