import { startWebhookTopic } from '../kafka/webhook-topic.ts';
import { WebhookDirectory } from '../webhooks/directory.ts';
import { startFileSource } from '../webhooks/file-source.ts';
import type { Directory, WebhookState } from '../webhooks/webhook.ts';
import { isAllowedPort } from './ports.ts';
import type { Shared } from './shared.ts';

export interface Webhooks extends Directory, AsyncDisposable {
  counts(): Readonly<Record<WebhookState, number>>;
  /** Of the configurations topic; none when they come from files. */
  lagRecords(): number;
}

/** Resolves once the directory is complete. */
export async function startWebhooks(parts: Shared): Promise<Webhooks> {
  const { settings, events } = parts;
  const directory = new WebhookDirectory(
    { isAllowedPort: (port) => isAllowedPort(settings.egress.allowedPorts, port) },
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

async function startSource(directory: WebhookDirectory, parts: Shared): Promise<Source> {
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
  { kafka, events, clock, signal }: Shared,
): Promise<Source> {
  const source = startWebhookTopic({ kafka, topic, table, events, clock });
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([source.complete, aborted]);
    return source;
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
