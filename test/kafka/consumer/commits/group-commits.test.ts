import { expect, it } from 'vitest';
import { readCommitted } from '../../../../src/kafka/consumer/commits/group-commits.ts';
import type { Admin } from '../../../../src/kafka/client/kafka.ts';

/** The committed offset of each partition, by topic. -1 where there is no commit. */
type Commits = Readonly<Record<string, readonly string[]>>;

/** Reads the commits of a group. Each partition has the records 5 to 8. */
async function read(commits: Commits) {
  const admin: Partial<Admin> = {
    connect: async () => undefined,
    disconnect: async () => undefined,
    fetchOffsets: async () =>
      Object.entries(commits).map(([topic, offsets]) => ({
        topic,
        partitions: offsets.map((offset, partition) => ({ partition, offset, metadata: null })),
      })),
    fetchTopicOffsets: async () => [0, 1].map((partition) => ({ partition, offset: '9', low: '5', high: '9' })),
  };
  return readCommitted({ admin: () => admin as Admin }, 'group', Object.keys(commits));
}

it.each<{ commits: Commits; uncommitted: readonly string[]; repeated: number }>([
  { commits: { a: ['7', '8'], b: ['7', '-1'], c: ['-1', '-1'] }, uncommitted: ['b 1', 'c 0', 'c 1'], repeated: 0 },
  { commits: { a: ['-1', '-1'] }, uncommitted: ['a 0', 'a 1'], repeated: 4 },
  { commits: { a: ['7', '9'] }, uncommitted: [], repeated: 0 },
])('a partition without a commit begins at its first record: $commits', async ({ commits, ...expected }) => {
  const { all, uncommitted } = await read(commits);
  expect(uncommitted.map(({ topic, partition }) => `${topic} ${partition}`)).toEqual(expected.uncommitted);
  for (const { start, repeated } of uncommitted) expect([start, repeated]).toEqual([5, expected.repeated]);
  const committed = Object.values(commits).flat();
  expect(all.map(({ offset }) => `${offset}`)).toEqual(committed.filter((offset) => offset !== '-1'));
});
