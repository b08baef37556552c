import type { LogMark } from '../kafka/consumer/commits/commit-metadata.ts';
import { askCommits } from '../kafka/reader/replacement-check.ts';
import { startWebhookTopic } from '../kafka/reader/webhook-topic.ts';
import type { TopicFollowerEvents } from '../kafka/reader/topic-follower.ts';
import { configurationRules } from '../settings.ts';
import { unlessAborted } from '../lib/aborted.ts';
import type { ConfigurationEvents } from '../telemetry/events/events.ts';
import { WebhookDirectory } from '../webhooks/directory.ts';
import { VersionReader } from '../webhooks/version-reader.ts';
import type { Directory, WebhookState } from '../webhooks/webhook.ts';
import { wantedTopics } from './configured-topics.ts';
import type { Component } from './liveness.ts';
import type { ServiceContext } from './service-context.ts';

export interface Webhooks extends Directory, AsyncDisposable {
  counts(): Readonly<Record<WebhookState, number>>;
  /** Returns the changes that are not in the directory yet: unread records, and documents that are being opened. */
  lagRecords(): number;
  /** Returns what keeps it from being up to date. Nothing is planned while there is something. */
  problems(): readonly string[];
  /** The readers of the configurations topic. Empty with files. */
  readonly followers: readonly Component[];
  /** Returns the configurations topic that was last complete. Undefined with files, and if the brokers report no ids. */
  readonly completeTopic: () => LogMark | undefined;
}

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
  const versions = await startVersionReader(directory, options, stack);
  const source = await startSource(versions, options, stack);
  await unlessAborted(signal, versions.settled());
  const resources = stack.move();
  return {
    ...source,
    ofOwner: (ownerId) => directory.ofOwner(ownerId),
    byId: (id) => directory.byId(id),
    counts: () => directory.counts(),
    caughtUp: settings.webhooks.keys?.file === undefined ? source.caughtUp : () => caughtUp(source, versions),
    lagRecords: () => source.lagRecords() + versions.waiting,
    [Symbol.asyncDispose]: async () => resources.disposeAsync(),
  };
}

type WebhookSource = Omit<Webhooks, 'ofOwner' | 'byId' | 'counts' | typeof Symbol.asyncDispose>;

async function caughtUp(source: WebhookSource, versions: VersionReader): Promise<void> {
  await source.caughtUp();
  await versions.settled();
}

/** Opens sealed parts with the keys file. Without one, the directory refuses them, and no code for them is loaded. */
async function startVersionReader(
  directory: WebhookDirectory,
  { settings, framed, events, clock, signal }: WebhooksOptions,
  stack: AsyncDisposableStack,
): Promise<VersionReader> {
  const { keys, requireSealed } = settings.webhooks;
  if (keys?.file === undefined) return stack.use(new VersionReader({ directory, framed, clock }));
  const { openBytes: open } = await import('../webhooks/sealing/open-document.ts');
  const { startKeysFile } = await import('../webhooks/files/keys-file.ts');
  const versions = stack.use(new VersionReader({ directory, framed, sealing: { open, requireSealed }, clock }));
  const use: VersionReader['useKeys'] = (found) => versions.useKeys(found);
  stack.use(await startKeysFile({ path: keys.file, use, events, clock, signal }));
  return versions;
}

const registryAwaited = 'the schema registry: the owners of new webhook configurations are not known without it';

async function startSource(
  versions: VersionReader,
  { settings, kafka, events, clock, signal, addCheck }: WebhooksOptions,
  stack: AsyncDisposableStack,
): Promise<WebhookSource> {
  const { source } = settings.webhooks;
  if (source.kind === 'file') {
    const { startFileSource } = await import('../webhooks/files/file-source.ts');
    stack.use(await startFileSource({ path: source.path, directory: versions, events, clock, signal }));
    return filesFollowed;
  }
  const { topic } = source;
  const { certificates } = wantedTopics(settings);
  const isReplaced = askCommits({ kafka, groupId: settings.kafka.groupId, topics: certificates });
  const followed = stack.use(startWebhookTopic({ kafka, topic, table: versions, events, clock, isReplaced }));
  const problems = () => [followed.status().problem ?? [], versions.holding === 0 ? [] : registryAwaited].flat();
  addCheck?.(problems);
  await unlessAborted(signal, followed.caughtUp());
  return {
    caughtUp: () => followed.caughtUp(),
    isComplete: () => followed.isComplete(),
    lagRecords: () => followed.status().lagRecords + versions.holding,
    problems,
    followers: [{ name: `the reader of ${topic}`, lastActivityAt: () => followed.lastActivityAt() }],
    completeTopic: () => followed.complete,
  };
}

/** Files have nothing to catch up with: the last successful load counts. */
const filesFollowed: WebhookSource = {
  caughtUp: () => Promise.resolve(),
  isComplete: () => true,
  lagRecords: () => 0,
  problems: () => [],
  followers: [],
  completeTopic: () => undefined,
};
