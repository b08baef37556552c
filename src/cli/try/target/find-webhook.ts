import { systemClock } from '../../../lib/clock.ts';
import { createClient, silentLogger } from '../../../service/kafka-clients.ts';
import { openFramedValues } from '../../../service/schema-registry.ts';
import { configurationRules, type Settings } from '../../../settings.ts';
import { readSnapshot } from '../../../kafka/reader/topic-snapshot.ts';
import { kafkaErrorType } from '../../../kafka/client/faults.ts';
import { checkDocuments } from '../../../webhooks/check-configuration.ts';
import { createConfigurationParser, type ParsedConfiguration } from '../../../webhooks/configuration-schema.ts';
import { readStream } from '../../../webhooks/files/configuration-files.ts';
import type { KeySet } from '../../../webhooks/sealing/key-set.ts';
import { createOpener } from '../../../webhooks/sealing/open-document.ts';
import { parseStored, withRegistryTimeout } from '../../configurations/stored-configurations.ts';
import { unframe } from '../../configurations/unframe.ts';
import { kafkaFailure } from '../../kafka-failure.ts';
import { registryEvents } from '../../registry-events.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** Where the configuration is: under its id in the configurations, or in a file of its own. */
export type TryTarget = { readonly kind: 'id'; readonly id: string } | { readonly kind: 'file'; readonly path: string };

export type TargetConfiguration = Extract<ParsedConfiguration, { readonly kind: 'accepted' }>['configuration'];

export type FoundWebhook =
  | { readonly kind: 'found'; readonly id: string; readonly configuration: TargetConfiguration }
  /** `code` is 1 if Kafka failed, and 2 if the configuration is missing or refused. */
  | { readonly kind: 'none'; readonly problems: readonly string[]; readonly code: 1 | 2 };

interface FindOptions {
  readonly settings: Settings;
  /** Undefined without a keys file. */
  readonly keys: KeySet | undefined;
  readonly terminal: Pick<Terminal, 'input' | 'err' | 'signal'>;
}

/** Finds a configuration, opens its sealed parts and validates it, as the service does. */
export async function findWebhook(target: TryTarget, options: FindOptions): Promise<FoundWebhook> {
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
async function findInFiles(path: string, id: string | undefined, options: FindOptions): Promise<FoundWebhook> {
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

async function findInTopic(
  topic: string,
  id: string,
  { settings, keys, terminal }: FindOptions,
): Promise<FoundWebhook> {
  const { err, signal } = terminal;
  using admin = createClient('admin', settings, silentLogger);
  using framed = await openFramedValues({ settings, events: registryEvents(err), clock: systemClock });
  try {
    const { newest } = await readSnapshot(admin, topic, signal, { onlyKey: id });
    const value = newest.get(id)?.value;
    if (value === undefined) return none([`there is no configuration ${id} in ${topic}`]);
    const document = await unframe(value, framed, withRegistryTimeout(signal));
    const { requireSealed } = settings.webhooks;
    return accepted(id, await parseStored(id, document, { rules: configurationRules(settings), keys, requireSealed }));
  } catch (error) {
    signal.throwIfAborted();
    const isMissing = kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
    const problem = isMissing ? `there is no topic ${topic}: topics --create makes it` : kafkaFailure(error);
    return { kind: 'none', problems: [problem], code: 1 };
  }
}

function accepted(id: string, parsed: ParsedConfiguration): FoundWebhook {
  return parsed.kind === 'accepted'
    ? { kind: 'found', id, configuration: parsed.configuration }
    : refused(id, parsed.problems);
}

function refused(id: string, problems: readonly string[]): FoundWebhook {
  return none(problems.map((problem) => `the configuration ${id} is refused: ${problem}`));
}

function none(problems: readonly string[]): FoundWebhook {
  return { kind: 'none', problems, code: 2 };
}
