import type { SchemaRegistryEvents } from '../certificates/registry/schemas.ts';
import type { Kafka, KafkaPurpose } from '../kafka/client/kafka.ts';
import { isCoordinatorError, kafkaErrorType } from '../kafka/client/faults.ts';
import { retryUntilSuccess } from '../kafka/client/retry-until-success.ts';
import { readCommitted, type GroupCommits } from '../kafka/consumer/commits/group-commits.ts';
import type { ReplayWriter } from '../kafka/producer/replay-writer.ts';
import { openScan, type TopicScan } from '../kafka/reader/topic-scan.ts';
import { findTopics } from '../kafka/topics/topic-admin.ts';
import { systemClock } from '../lib/clock.ts';
import { oneLine } from '../lib/printable.ts';
import { configuredTiers } from '../service/configured-topics.ts';
import { createClient, silentLogger } from '../service/kafka-clients.ts';
import { openFramedValues, type OpenFramedValues } from '../service/schema-registry.ts';
import type { Settings } from '../settings.ts';
import { kafkaRemedy } from '../telemetry/events/kafka-remedy.ts';
import { ConfigurationFilesError, KeysFileError } from '../webhooks/files/file-errors.ts';
import type { Planner } from './planner.ts';
import type { ProgressScreen } from './terminal/progress.ts';
import type { Terminal } from './terminal/terminal.ts';
import { isEmptySpan, type TimeArgument } from './terminal/time-argument.ts';
import { stopped, withSettings, type ExitCode } from './with-settings.ts';

export interface KafkaNeeds {
  readonly span: { readonly since: TimeArgument | undefined; readonly until: TimeArgument | undefined };
  /** Returns the topics that must exist before the command runs. */
  readonly topicsOf: (settings: Settings) => readonly string[];
}

/** The Kafka access of a command. {@link withKafka} closes everything that it opened. Only what is called is loaded. */
export interface KafkaTools {
  readonly settings: Settings;
  readonly screen: ProgressScreen;
  readonly admin: Kafka;
  scan(topic: string): Promise<TopicScan>;
  /** Returns what a group has committed. Asks again while its coordinator moves or is not ready yet. */
  commits(groupId: string, topics: readonly string[]): Promise<GroupCommits>;
  writer(): Promise<ReplayWriter>;
  planner(): Promise<Planner>;
}

/**
 * Runs a command with the settings and Kafka clients, and closes these afterwards. Returns exit code 1 if Kafka fails, one
 * of the topics is missing or the signal aborts. Returns exit code 2 if the span is empty, or if the settings, the
 * configuration files or the keys file are unusable.
 */
export async function withKafka(
  terminal: Terminal,
  { span: { since, until }, topicsOf }: KafkaNeeds,
  run: (tools: KafkaTools) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { err, signal } = terminal;
  if (isEmptySpan(since, until, systemClock.now())) {
    err('error: --until has to be later than --since');
    return 2;
  }
  return withSettings(err, async (settings): Promise<ExitCode> => {
    try {
      await using stack = new AsyncDisposableStack();
      const admin = stack.use(openClient(settings, 'admin'));
      const topics = topicsOf(settings);
      const found = await findTopics(admin, topics);
      const missing = topics.filter((topic) => !found.includes(topic));
      for (const topic of missing)
        err(`error: there is no topic ${topic}, or no right to see it: topics --create makes what is missing`);
      return missing.length > 0 ? 1 : await run(createTools(settings, terminal, stack, admin));
    } catch (error) {
      if (signal.aborted) return stopped(terminal);
      const isOfFiles = error instanceof ConfigurationFilesError || error instanceof KeysFileError;
      err(`error: ${isOfFiles ? oneLine(error.message) : kafkaFailure(error)}`);
      return isOfFiles ? 2 : 1;
    }
  });
}

/** Tries to ask for commits. The waits between them are 26 s in all, which outlasts a change of the coordinator. */
const mostCommitTries = 8;

function createTools(settings: Settings, terminal: Terminal, stack: AsyncDisposableStack, admin: Kafka): KafkaTools {
  const { err, bar, signal } = terminal;
  const clock = systemClock;
  return {
    settings,
    screen: { clock, err, bar },
    admin,
    scan: async (topic) => stack.use(await openScan({ kafka: admin, topic, clock, signal })),
    commits: async (groupId, topics) => {
      let tries = 0;
      return retryUntilSuccess(() => readCommitted(admin, groupId, topics), {
        doing: `asking what the group ${groupId} has settled`,
        events: { kafkaUnreachable: () => undefined },
        clock,
        signal,
        isFinal: (error) => (tries += 1) >= mostCommitTries || !isCoordinatorError(error),
      });
    },
    writer: async () => {
      const { ReplayWriter } = await import('../kafka/producer/replay-writer.ts');
      return stack.use(
        new ReplayWriter({
          kafka: stack.use(openClient(settings, 'writing')),
          tier: { topic: firstTierTopic(settings), delayMs: settings.retry.delaysMs[0] ?? 0 },
          deadLetterTopic: settings.deadLetters.topic,
          compression: settings.handoff.compression,
          clock,
          warn: (text) => err(`warning: ${oneLine(text)}`),
        }),
      );
    },
    planner: async () => {
      const { Planner } = await import('./planner.ts');
      const framed = await openFramed(settings, err);
      const kafka = stack.use(openClient(settings, 'reading'));
      return stack.use(new Planner({ settings, kafka, framed, clock, err, signal }));
    },
  };
}

export function firstTierTopic(settings: Settings): string {
  return configuredTiers(settings)[0]?.topic ?? '';
}

export function openClient(settings: Settings, purpose: KafkaPurpose): Kafka & Disposable {
  return createClient(purpose, settings, silentLogger);
}

/** Opens the reader of framed values. Failures of the schema registry are printed as warnings. */
export function openFramed(settings: Settings, err: (line: string) => void): Promise<OpenFramedValues> {
  const events: SchemaRegistryEvents = {
    schemaRegistryFailed: ({ schemaId, reason }) => err(`warning: schema ${schemaId} can't be had: ${oneLine(reason)}`),
    schemaUnknown: ({ schemaId }) => err(`warning: the schema registry does not know schema ${schemaId}`),
  };
  return openFramedValues({ settings, events, clock: systemClock });
}

/** Describes a failed Kafka request: the reason, and the settings to check if settings can be the cause. */
export function kafkaFailure(error: unknown): string {
  const reason = oneLine(error instanceof Error ? error.message : String(error));
  const silent = silentBroker(error);
  const remedy =
    kafkaRemedy(error) ??
    (silent && `${silent} does not answer: look at that broker, and at its port in KAFKA_BROKERS`);
  return `Kafka can't be reached or refuses: ${reason}${remedy === undefined ? '' : ` (${remedy})`}`;
}

/** Returns the address of the broker that took a connection or a request and did not answer. kafkajs wraps its error. */
function silentBroker(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const broker: unknown = Reflect.get(cause, 'broker');
    if (typeof broker === 'string' && /tim(?:ed out|eout)$/.test(cause.message)) return oneLine(broker);
  }
  return undefined;
}

/** Describes a failed request for the configurations topic, which may be missing. */
export function configurationsFailure(error: unknown, topic: string): string {
  const isMissing = kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
  return isMissing ? `there is no topic ${topic}: topics --create makes it` : kafkaFailure(error);
}
