import { WebhookDirectory } from '../../../src/webhooks/directory.ts';
import { startFileSource } from '../../../src/webhooks/files/file-source.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { PollClock } from '../poll-clock.ts';

/** Starts a source of files whose polls the test makes, and records its events. */
export async function startWatching(path: string) {
  const clock = new PollClock();
  const events: string[] = [];
  const directory = new WebhookDirectory(
    { isAllowedPort: (port) => port === 443, mostInFlight: 16 },
    { configurationRefused: ({ id, problems }) => void events.push(`refused ${id}: ${problems.join()}`) },
  );
  const source = await startFileSource({
    path,
    directory,
    clock,
    signal: new AbortController().signal,
    events: {
      configurationsReloaded: ({ configurations }) => void events.push(`reloaded ${configurations}`),
      configurationReloadFailed: ({ reason }) => void events.push(`failed: ${reason}`),
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

/** Starts a source of one file, which the test writes again. */
export async function watchFile(text: string, name = 'webhooks.json') {
  const folder = await writeTemporaryFiles({ [name]: text });
  const path = folder.path(name);
  const watched = await startWatching(path);
  return {
    ...watched,
    path,
    write: (changed: string) => folder.write(name, changed),
    [Symbol.asyncDispose]: async () => {
      await watched[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
