import { describe, expect, it } from 'vitest';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import {
  decodeMetadata,
  logMark,
  type LogMark,
  decodeSettled,
  maxMetadataBytes,
} from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import { GroupCommits, type SettledCommit } from '../../../src/kafka/consumer/commits/group-commits.ts';

describe('Assignment', () => {
  it('commits the position of each partition, and the settled ranges above it', () => {
    const assignment = new Assignment({ completed: [0, 1] });
    const opened = assignment.open('completed', 1, 10);
    const entries = [10, 11, 12].map((offset) => opened?.ledger.admit(offset));
    for (const entry of [entries[0], entries[2]]) if (entry !== undefined) opened?.ledger.settle(entry);
    const [commit] = assignment.toCommit(maxMetadataBytes)?.offsets.topics ?? [];
    expect(commit).toMatchObject({ topic: 'completed', partitions: [{ partition: 1, offset: '11' }] });
    expect(decodeSettled(11, commit?.partitions[0]?.metadata ?? '')).toEqual([{ start: 12, end: 13 }]);
  });

  it('commits nothing that the brokers have acknowledged', () => {
    const assignment = new Assignment({ completed: [0] });
    settleOne(assignment);
    const due = assignment.toCommit(maxMetadataBytes);
    expect(assignment.toCommit(maxMetadataBytes)).toBeDefined();
    due?.confirm();
    expect(assignment.toCommit(maxMetadataBytes)).toBeUndefined();
  });

  it('commits nothing once it is revoked, because its partitions may have another owner', () => {
    const assignment = new Assignment({ completed: [0] });
    settleOne(assignment);
    assignment.revoke();
    expect(assignment.toCommit(maxMetadataBytes)).toBeUndefined();
    expect(assignment.open('completed', 0, 0)).toBeUndefined();
  });

  it('commits nothing in a topic that may not be read, until it may be, but commits the others', () => {
    const assignment = new Assignment({ completed: [0], expired: [0] });
    for (const topic of ['completed', 'expired']) settleOne(assignment, topic);
    assignment.exclude({ gone: [], denied: ['expired'] });
    expect(assignment.toCommit(maxMetadataBytes)?.offsets.topics.map(({ topic }) => topic)).toEqual(['completed']);
    assignment.exclude({ gone: [], denied: [] });
    expect(assignment.toCommit(maxMetadataBytes)?.offsets.topics).toHaveLength(2);
  });

  it('is owned while the membership is confirmed, and no longer once it is revoked', async () => {
    const assignment = new Assignment({ completed: [0] });
    expect(await assignment.stillOwned()).toBe(true);
    assignment.revoke();
    expect(await assignment.stillOwned()).toBe(false);
  });

  it('answers a question asked while unconfirmed when the group confirms, or with false when it is given up', async () => {
    const confirmed = Promise.withResolvers<void>();
    const [kept, givenUp] = [1, 2].map(
      () => new Assignment({ completed: [0] }, { ownershipUnconfirmed: () => confirmed.promise }),
    );
    const answers = Promise.all([kept?.stillOwned(), givenUp?.stillOwned()]);
    givenUp?.prepareToRevoke();
    await Promise.resolve();
    confirmed.resolve();
    expect(await answers).toEqual([true, false]);
  });

  it('opens only assigned partitions', () => {
    expect(new Assignment({ completed: [0] }).open('completed', 1, 0)).toBeUndefined();
  });

  it('forgets the settled ranges when another log of the partition is read', () => {
    const assignment = new Assignment(
      { completed: [0] },
      { commits: new GroupCommits([{ ...aCommit(0, 0), settled: [{ start: 5, end: 9 }] }]) },
    );
    const opened = assignment.open('completed', 0, 0);
    expect(opened?.ledger.wasSettled(5)).toBe(true);
    opened?.growth.note(10, 1000);
    const reopened = assignment.reopen('completed', 0, 0);
    expect(reopened?.ledger.wasSettled(5)).toBe(false);
    expect(reopened?.growth.inLogSince(5, 9000)).toBe(9000);
  });

  it('names the log in each commit, and its successor once the topic was recreated', () => {
    const logs = { clusterId: 'cluster', ids: new Map([['completed', '0123456789ab']]) };
    const assignment = new Assignment({ completed: [0] }, { logs });
    settleOne(assignment);
    const markOf = (): unknown => {
      const [commit] = assignment.toCommit(maxMetadataBytes)?.offsets.topics ?? [];
      return decodeMetadata(1, commit?.partitions[0]?.metadata ?? '').mark;
    };
    expect(markOf()).toEqual(logMark('cluster', '0123456789ab'));
    assignment.topicRecreated('completed', 'ba9876543210');
    expect(markOf()).toEqual(logMark('cluster', 'ba9876543210'));
  });
});

describe('the configurations topic that was last complete', () => {
  const mark = (topic: string): LogMark => logMark('cluster', topic);
  const named = (assignment: Assignment): unknown => {
    const due = assignment.toCommit(maxMetadataBytes);
    due?.confirm();
    return due?.offsets.topics.flatMap(({ partitions }) =>
      partitions.map(({ partition, offset, metadata }) => [
        partition,
        offset,
        decodeMetadata(Number(offset), metadata ?? '').configurations?.topic,
      ]),
    );
  };

  it('is named in a commit of each partition, once, although nothing is settled', () => {
    let complete: LogMark | undefined;
    const committed = [5, 6, 7].map((offset, partition) => aCommit(partition, offset));
    const assignment = new Assignment(
      { completed: [0, 1] },
      { commits: new GroupCommits(committed), configurations: () => complete },
    );
    assignment.open('completed', 1, 6)?.ledger.admit(6);
    expect(named(assignment)).toBeUndefined();
    complete = mark('00000001');
    const first = [
      [1, '6', '00000001'],
      [0, '5', '00000001'],
    ];
    expect(named(assignment)).toEqual(first);
    expect(named(assignment)).toBeUndefined();
    complete = mark('00000002');
    expect(named(assignment)).toEqual(first.map(([partition, offset]) => [partition, offset, '00000002']));
    expect(named(assignment)).toBeUndefined();
  });

  it('is not committed again where the commits name it', () => {
    const configurations = mark('00000001');
    const committed = [{ ...aCommit(0, 5), configurations }];
    const assignment = new Assignment(
      { completed: [0] },
      { commits: new GroupCommits(committed), configurations: () => configurations },
    );
    assignment.open('completed', 0, 5);
    expect(named(assignment)).toBeUndefined();
  });

  it('keeps the ranges that an earlier assignment has settled', () => {
    const settled = [{ start: 8, end: 9 }];
    const committed = [{ ...aCommit(0, 5), settled }];
    const commits = new GroupCommits(committed);
    const due = new Assignment({ completed: [0] }, { commits, configurations: () => mark('00000001') }).toCommit(
      maxMetadataBytes,
    );
    expect(decodeMetadata(5, due?.offsets.topics[0]?.partitions[0]?.metadata ?? '').settled).toEqual(settled);
  });

  it('is not committed once the partitions are revoked, nor in a topic that is gone or denied', () => {
    const committed = [aCommit(0, 5)];
    const create = () =>
      new Assignment(
        { completed: [0] },
        { commits: new GroupCommits(committed), configurations: () => mark('00000001') },
      );
    const [revoked, denied] = [create(), create()];
    revoked.revoke();
    const gone = create();
    denied.exclude({ gone: [], denied: ['completed'] });
    gone.exclude({ gone: ['completed'], denied: [] });
    expect([revoked, denied, gone].map(named)).toEqual([undefined, undefined, undefined]);
  });
});

function aCommit(partition: number, offset: number): SettledCommit {
  return { topic: 'completed', partition, offset, settled: [], mark: undefined };
}

function settleOne(assignment: Assignment, topic = 'completed'): void {
  const ledger = assignment.open(topic, 0, 0)?.ledger;
  const entry = ledger?.admit(0);
  if (entry !== undefined) ledger?.settle(entry);
}
