import { startWebhookTopic } from '../kafka/webhook-topic.ts';
import { unlessAborted } from '../lib/aborted.ts';
import { isInRanges } from '../lib/port-range.ts';
import { WebhookDirectory } from '../webhooks/directory.ts';
import { startFileSource } from '../webhooks/file-source.ts';
import type { Directory, WebhookState } from '../webhooks/webhook.ts';
import type { Foundation } from './foundation.ts';

export interface Webhooks extends Directory, AsyncDisposable {
  counts(): Readonly<Record<WebhookState, number>>;
  /** Of the configurations topic; none when they come from files. */
  lagRecords(): number;
}

/** Resolves once the directory is complete. */
export async function startWebhooks(parts: Foundation): Promise<Webhooks> {
  const { settings, events } = parts;
  const directory = new WebhookDirectory(
    { isAllowedPort: (port) => isInRanges(settings.egress.allowedPorts, port) },
    events,
  );
  const source = await startSource(directory, parts);
  return {
    ofOwner: (ownerId) => directory.ofOwner(ownerId),
    byId: (id) => directory.byId(id),
    counts: () => directory.counts(),
    caughtUp: async () => source.caughtUp(),
    lagRecords: () => source.lagRecords?.() ?? 0,
    [Symbol.asyncDispose]: async () => source[Symbol.asyncDispose](),
  };
}

interface Source extends AsyncDisposable {
  caughtUp(): Promise<void>;
  lagRecords?(): number;
}

async function startSource(directory: WebhookDirectory, parts: Foundation): Promise<Source> {
  const { settings, events, clock, signal } = parts;
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
      return startTopicSource(source.topic, directory, parts);
  }
}

async function startTopicSource(
  topic: string,
  table: WebhookDirectory,
  { kafka, events, clock, signal }: Foundation,
): Promise<Source> {
  const source = startWebhookTopic({ kafka, topic, table, events, clock });
  try {
    await unlessAborted(signal, source.complete);
    return source;
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
}
