import type { FetchedPartition, TopicLog, LogRecord } from '../../../src/kafka/client/topic-log.ts';
import { acceptanceKey } from '../../../src/kafka/reader/newest-versions.ts';
import { replaceMembers } from '../environment/replace-members.ts';
import { noMutation, type Mutant } from './mutation.ts';

/** Bugs of reading the configurations topic. */
export const configurationMutants: readonly Mutant[] = [
  {
    name: 'a running process drops the webhooks that a configurations topic lacks that was created again',
    violates: 'I9',
    createMutation: () => ({ ...noMutation, configurations: acceptRecreated }),
  },
  {
    name: 'a process that starts in a refill takes the configurations topic for complete',
    violates: 'I1',
    createMutation: () => ({ ...noMutation, isReplaced: () => () => Promise.resolve(false) }),
  },
  {
    name: 'of a webhook in two partitions the version that was read last counts',
    violates: 'I9',
    createMutation: () => ({ ...noMutation, configurations: withoutTimestamps }),
  },
  {
    name: 'the configurations topic ends where a transaction is open',
    violates: 'I9',
    createMutation: () => ({ ...noMutation, configurations: endingAtTransactions }),
  },
  {
    name: 'a partition that was added to the configurations topic is not part of its end',
    violates: 'I9',
    createMutation: () => ({ ...noMutation, configurations: withoutAddedPartitions }),
  },
  {
    name: 'an answer without records is the end of the configurations topic',
    violates: 'I9',
    createMutation: () => ({ ...noMutation, configurations: endingAtEmptyAnswers }),
  },
  {
    name: 'plans do not wait for the schema of a webhook whose owner is not known',
    violates: 'I9',
    createMutation: () => ({ ...noMutation, table: (table) => replaceMembers(table, { holding: 0 }) }),
  },
];

/** Adds the record of `configurations accept` to each partition of a topic that the process has not read first. */
function acceptRecreated(log: TopicLog): TopicLog {
  const accepted = { key: Buffer.from(acceptanceKey), value: null, timestamp: '0' };
  let first: string | undefined;
  return withRecords(log, (records, from) => {
    first ??= log.id();
    return from === 0 && log.id() !== first ? [accepted, ...records] : records;
  });
}

function withoutTimestamps(log: TopicLog): TopicLog {
  let read = 0;
  return withRecords(log, (records) => records.map((record) => ({ ...record, timestamp: String((read += 1)) })));
}

function withRecords(
  log: TopicLog,
  alter: (records: readonly LogRecord[], from: number) => readonly LogRecord[],
): TopicLog {
  return withAnswers(log, (answer) => ({ ...answer, records: alter(answer.records, answer.from) }));
}

function withAnswers(log: TopicLog, alter: (answer: FetchedPartition) => FetchedPartition): TopicLog {
  return { ...log, fetch: async (...args) => (await log.fetch(...args)).map(alter) };
}

/** Reports the last stable offset of each partition as its end, as of the last answer. */
function endingAtTransactions(log: TopicLog): TopicLog {
  const openAt = new Map<number, number>();
  const noted = withAnswers(log, (answer) => {
    const { partition, stableEnd, end } = answer;
    if (stableEnd < end) openAt.set(partition, stableEnd);
    else openAt.delete(partition);
    return answer;
  });
  const ends = async (): ReturnType<TopicLog['ends']> =>
    new Map([...(await log.ends())].map(([partition, end]) => [partition, openAt.get(partition) ?? end]));
  return { ...noted, ends };
}

/** Knows the partitions of the last look at the topic, which is up to a second ago. */
function withoutAddedPartitions(log: TopicLog): TopicLog {
  let known: ReadonlySet<number> = new Set();
  const ofKnown = (all: ReadonlyMap<number, number>): ReadonlyMap<number, number> =>
    new Map([...all].filter(([partition]) => known.has(partition)));
  return {
    ...log,
    refresh: async () => {
      await log.refresh();
      known = new Set(log.leaders().keys());
    },
    leaders: () => ofKnown(log.leaders()),
    ends: async () => ofKnown(await log.ends()),
  };
}

function endingAtEmptyAnswers(log: TopicLog): TopicLog {
  return withAnswers(log, (answer) => (answer.records.length > 0 ? answer : { ...answer, next: answer.end }));
}
