import type { ReplayWriter } from '../kafka/producer/replay-writer.ts';
import { openScan, type TopicScan } from '../kafka/reader/topic-scan.ts';
import { listTopics } from '../kafka/topics/topic-wait.ts';
import { systemClock } from '../lib/clock.ts';
import { createClient, silentLogger } from '../service/kafka-clients.ts';
import { configuredTiers } from '../service/configured-topics.ts';
import type { Settings } from '../settings.ts';
import { oneLine } from '../lib/one-line.ts';
import { ConfigurationFilesError, KeysFileError } from '../webhooks/files/file-errors.ts';
import { openFramedValues } from '../service/schema-registry.ts';
import { registryEvents } from './registry-events.ts';
import { kafkaFailure } from './kafka-failure.ts';
import type { Planner } from './planner.ts';
import type { ProgressScreen } from './terminal/progress.ts';
import { ReaderGoneError, type Terminal } from './terminal/terminal.ts';

interface WithKafkaOptions {
  readonly settings: Settings;
  /** Topics that must exist before the command runs. */
  readonly topics: readonly string[];
  readonly terminal: Terminal;
}

/** The Kafka access of a command. {@link withKafka} closes everything that it opened. Only what is called is loaded. */
export interface KafkaTools {
  readonly settings: Settings;
  readonly screen: ProgressScreen;
  scan(topic: string): Promise<TopicScan>;
  writer(): Promise<ReplayWriter>;
  planner(): Promise<Planner>;
}

/**
 * Runs a command with Kafka clients and closes them afterwards. Returns exit code 1 if Kafka fails, a topic is missing
 * or the signal aborts. Returns exit code 2 if the configuration files or the keys file are unusable.
 */
export async function withKafka<Code>(
  { settings, topics, terminal }: WithKafkaOptions,
  run: (tools: KafkaTools) => Promise<Code>,
): Promise<Code | 1 | 2> {
  const { err, signal } = terminal;
  try {
    await using stack = new AsyncDisposableStack();
    const admin = stack.use(createClient('admin', settings, silentLogger));
    const found = await listTopics(admin);
    const missing = topics.filter((topic) => !found.includes(topic));
    for (const topic of missing)
      err(`error: there is no topic ${topic}, or no right to see it: topics --create makes what is missing`);
    return missing.length > 0 ? 1 : await run(createTools({ settings, terminal, stack, admin }));
  } catch (error) {
    if (signal.aborted && !(signal.reason instanceof ReaderGoneError)) err('stopped before the end');
    else if (!signal.aborted) err(`error: ${isFilesError(error) ? oneLine(error.message) : kafkaFailure(error)}`);
    return !signal.aborted && isFilesError(error) ? 2 : 1;
  }
}

function isFilesError(error: unknown): error is Error {
  return error instanceof ConfigurationFilesError || error instanceof KeysFileError;
}

interface ToolsOptions {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly stack: AsyncDisposableStack;
  readonly admin: ReturnType<typeof createClient>;
}

function createTools({ settings, terminal, stack, admin }: ToolsOptions): KafkaTools {
  const { err, bar, signal } = terminal;
  const clock = systemClock;
  return {
    settings,
    screen: { clock, err, bar },
    scan: async (topic) => stack.use(await openScan({ kafka: admin, topic, clock, signal })),
    writer: async () => {
      const { ReplayWriter } = await import('../kafka/producer/replay-writer.ts');
      return stack.use(
        new ReplayWriter({
          kafka: stack.use(createClient('writing', settings, silentLogger)),
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
      const framed = await openFramedValues({ settings, events: registryEvents(err), clock });
      const kafka = stack.use(createClient('reading', settings, silentLogger));
      return stack.use(new Planner({ settings, kafka, framed, clock, err, signal }));
    },
  };
}

export function firstTierTopic(settings: Settings): string {
  return configuredTiers(settings)[0]?.topic ?? '';
}
