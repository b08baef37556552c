import { WebhookDirectory } from '../../../src/webhooks/directory.ts';
import { startFileSource } from '../../../src/webhooks/files/file-source.ts';
import { PollClock } from '../poll-clock.ts';

type RecordedEvent = readonly [event: string, ...details: readonly unknown[]];

/** Starts a source of files whose polls the test makes, and records its events. */
export async function startWatching(path: string) {
  const clock = new PollClock();
  const events: RecordedEvent[] = [];
  const directory = new WebhookDirectory(
    { isAllowedPort: (port) => port === 443, mostInFlight: 16 },
    { configurationRefused: ({ id, problems }) => void events.push(['refused', id, problems]) },
  );
  const source = await startFileSource({
    path,
    directory,
    clock,
    signal: new AbortController().signal,
    events: {
      configurationsReloaded: ({ configurations }) => void events.push(['reloaded', configurations]),
      configurationReloadFailed: ({ reason }) => void events.push(['failed', reason]),
    },
  });
  return {
    clock,
    events,
    states: () => ['one', 'two', 'three'].map((id) => directory.byId(id)?.state),
    directory,
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}
