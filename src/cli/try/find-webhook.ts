import { readSnapshot } from '../../kafka/reader/topic-snapshot.ts';
import { configurationRules, type Settings } from '../../settings.ts';
import { checkDocuments } from '../../webhooks/check-configuration.ts';
import { createConfigurationParser, type ParsedConfiguration } from '../../webhooks/configuration-schema.ts';
import { readStream } from '../../webhooks/files/configuration-files.ts';
import type { KeySet } from '../../webhooks/sealing/key-set.ts';
import { createOpener } from '../../webhooks/sealing/open-document.ts';
import type { TryTarget } from '../command.ts';
import { parseStored, unframe, withRegistryTimeout } from '../configurations/stored.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { configurationsFailure, openClient, openFramed } from '../with-kafka.ts';

export interface FoundWebhook {
  readonly kind: 'found';
  readonly id: string;
  readonly configuration: Extract<ParsedConfiguration, { readonly kind: 'accepted' }>['configuration'];
}

/** `code` is 1 if Kafka failed, and 2 if the configuration is missing or refused. */
type FindResult = FoundWebhook | { readonly kind: 'none'; readonly problems: readonly string[]; readonly code: 1 | 2 };

interface FindOptions {
  readonly settings: Settings;
  readonly keys: KeySet | undefined;
  readonly terminal: Pick<Terminal, 'input' | 'err' | 'signal'>;
}

/** Finds a configuration, opens its sealed parts and validates it, as the service does. */
export async function findWebhook(target: TryTarget, options: FindOptions): Promise<FindResult> {
  if (target.kind === 'file') return findInFiles(target.path, undefined, options);
  const { source } = options.settings.webhooks;
  switch (source.kind) {
    case 'file':
      return findInFiles(source.path, target.id, options);
    case 'kafka':
      return findInTopic(source.topic, target.id, options);
  }
}

/** Finds the only configuration of a file, or that with the id in a file or folder. */
async function findInFiles(path: string, id: string | undefined, options: FindOptions): Promise<FindResult> {
  const { settings, keys, terminal } = options;
  const { signal } = terminal;
  const rules = configurationRules(settings);
  const { files, entries } = await checkDocuments([path], {
    rules,
    open: createOpener(keys, settings.webhooks.requireSealed),
    signal,
    ...(id === undefined ? { readInput: () => readStream(terminal.input(), signal) } : {}),
  });
  const found = id === undefined ? entries : entries.filter(({ entry }) => entry.id === id);
  const [first, ...others] = found;
  if (first === undefined && id === undefined)
    return none(files.flatMap(({ problems }) => problems.map((problem) => `${path}: ${problem}`)));
  if (first === undefined)
    return none([`there is no configuration ${id} in ${path}; check-config says which files can't be used`]);
  if (others.length > 0)
    return none([
      `${path} holds ${found.length} configurations${id === undefined ? ': expected one' : ` with the _id ${id}`}`,
    ]);
  // The service refuses what it has no private key for, so a note of the check is a problem here.
  const problems = [...first.problems, ...first.notes];
  if (problems.length > 0) return refused(first.entry.id, problems);
  return accepted(first.entry.id, createConfigurationParser(rules)(first.entry.id, first.opened));
}

async function findInTopic(topic: string, id: string, { settings, keys, terminal }: FindOptions): Promise<FindResult> {
  const { err, signal } = terminal;
  using admin = openClient(settings, 'admin');
  using framed = await openFramed(settings, err);
  try {
    const { newest } = await readSnapshot(admin, topic, signal, { onlyKey: id });
    const value = newest.get(id)?.value;
    if (value === undefined) return none([`there is no configuration ${id} in ${topic}`]);
    const document = await unframe(value, framed, withRegistryTimeout(signal));
    const { requireSealed } = settings.webhooks;
    return accepted(id, await parseStored(id, document, { rules: configurationRules(settings), keys, requireSealed }));
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'none', problems: [configurationsFailure(error, topic)], code: 1 };
  }
}

function accepted(id: string, parsed: ParsedConfiguration): FindResult {
  return parsed.kind === 'accepted'
    ? { kind: 'found', id, configuration: parsed.configuration }
    : refused(id, parsed.problems);
}

function refused(id: string, problems: readonly string[]): FindResult {
  return none(problems.map((problem) => `the configuration ${id} is refused: ${problem}`));
}

function none(problems: readonly string[]): FindResult {
  return { kind: 'none', problems, code: 2 };
}
