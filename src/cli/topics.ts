import type { Kafka } from '../kafka/client/kafka.ts';
import { systemClock, type MonotonicClock } from '../lib/clock.ts';
import { compareTopics, topicsSuffice, type TopicReport } from '../kafka/topics/topic-comparison.ts';
import { kafkaErrorType } from '../kafka/client/faults.ts';
import { readSnapshot } from '../kafka/reader/topic-snapshot.ts';
import { connectAdmin, createTopics, describeTopics, findTopics } from '../kafka/topics/topic-admin.ts';
import { topicsToCreate } from '../kafka/topics/topic-creation.ts';
import { requiredTopics, tierTopicsIn, type FoundTopics, type WantedTopics } from '../kafka/topics/wanted-topics.ts';
import { wantedTopics } from '../service/configured-topics.ts';
import type { Settings } from '../settings.ts';
import { table, type Columns } from './terminal/columns.ts';
import type { Terminal } from './terminal/terminal.ts';
import { kafkaFailure, openClient } from './with-kafka.ts';

interface TopicsCommand extends Pick<Terminal, 'signal' | 'out' | 'err'> {
  readonly kafka: Kafka;
  readonly wanted: WantedTopics;
  /** Creates missing topics. Existing topics are neither changed nor deleted. */
  readonly create: boolean;
  readonly clock: MonotonicClock;
}

export async function runTopicsWithSettings(
  settings: Settings,
  { create }: Pick<TopicsCommand, 'create'>,
  { signal, out, err }: Pick<Terminal, 'signal' | 'out' | 'err'>,
): Promise<0 | 1> {
  using kafka = openClient(settings, 'admin');
  return await runTopics({ kafka, wanted: wantedTopics(settings), create, clock: systemClock, signal, out, err });
}

/** Compares the cluster's topics with those that are needed. Returns exit code 1 if they do not suffice or Kafka fails. */
export async function runTopics(command: TopicsCommand): Promise<0 | 1> {
  try {
    const reports = await inspect(command);
    // Findings may be long, and are ours.
    for (const line of table(columns, reports.flatMap(rowsOf), (text) => text)) command.out(line);
    return topicsSuffice(reports) ? 0 : 1;
  } catch (error) {
    command.err(kafkaFailure(error));
    return 1;
  }
}

async function inspect(command: TopicsCommand): Promise<readonly TopicReport[]> {
  const { kafka, wanted, create, clock, out } = command;
  await using admin = await connectAdmin(kafka);
  const required = new Set(requiredTopics(wanted).map(({ topic }) => topic));
  const isOurs = (topic: string): boolean => required.has(topic) || tierTopicsIn([topic], wanted.tierPrefix).length > 0;
  const ours = (await findTopics(kafka)).filter(isOurs);
  const found = await describeTopics(admin, ours);
  if (!create) return compareTopics(wanted, await withKeysInTwoPartitions(found, command));
  const { brokers } = await admin.describeCluster();
  const creations = topicsToCreate(wanted, found, brokers.length);
  await createTopics(admin, creations, clock);
  for (const { topic, partitions } of creations) out(`made ${topic}, partitions: ${partitions}`);
  const all = await describeTopics(admin, [...ours, ...creations.map(({ topic }) => topic)]);
  return compareTopics(wanted, await withKeysInTwoPartitions(all, command));
}

/** Counts the keys of the configurations topic that stand in two partitions. Leaves that out without the right to read. */
async function withKeysInTwoPartitions(
  found: FoundTopics,
  { kafka, wanted: { configurations = '' }, signal }: TopicsCommand,
): Promise<FoundTopics> {
  const topic = found.get(configurations);
  if (topic === undefined || topic.partitions === 1) return found;
  try {
    const { older } = await readSnapshot(kafka, configurations, signal);
    return new Map(found).set(configurations, { ...topic, keysInTwoPartitions: older.size });
  } catch (error) {
    if (kafkaErrorType(error) === 'TOPIC_AUTHORIZATION_FAILED') return found;
    throw error;
  }
}

/** One row per finding, and one row per topic without findings. */
type FindingRow = readonly [report: TopicReport, finding: TopicReport['findings'][number] | undefined];

const columns: Columns<FindingRow> = {
  TOPIC: ([{ topic }]) => topic,
  ROLE: ([{ role }]) => role.replace('_', ' '),
  STATUS: ([, finding]) => finding?.severity ?? 'ok',
  WHAT: ([, finding]) => finding?.problem ?? '',
  'WHAT TO DO': ([, finding]) => finding?.remedy ?? '',
};

function rowsOf(report: TopicReport): readonly FindingRow[] {
  const { findings } = report;
  return findings.length === 0 ? [[report, undefined]] : findings.map((finding) => [report, finding]);
}
