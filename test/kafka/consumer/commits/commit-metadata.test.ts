import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMetadata,
  encodeMetadata,
  logMark,
  relationOf,
  decodeSettled,
  maxMetadataBytes,
  settledPrefix,
} from '../../../../src/kafka/consumer/commits/commit-metadata.ts';
import { GroupCommits } from '../../../../src/kafka/consumer/commits/group-commits.ts';

const topicId = '0123456789abcdef0123456789abcdef';
const mark = logMark('MkU3OEVBNTcwNTJENDM2Qg', topicId);
const earlierMark = logMark(undefined, topicId);
const settled = [{ start: 12, end: 15 }];
const configurations = logMark('MkU3OEVBNTcwNTJENDM2Qg', 'c0ffee00');

const aCommit = { topic: 'completed', offset: 10, settled: [], mark: undefined };

describe('the metadata of a commit', () => {
  it.each([
    { settled, mark },
    { settled: [], mark },
    { settled, mark: earlierMark },
    { settled: [], mark: earlierMark },
    { settled, mark: undefined },
    { settled: [], mark: undefined },
    { settled, mark, configurations },
    { settled: [], mark, configurations: logMark(undefined, 'c0ffee00') },
    { settled, mark: undefined, configurations },
  ])('is decoded as it was encoded: %o', (metadata) => {
    expect(decodeMetadata(10, encodeMetadata(10, metadata, maxMetadataBytes))).toEqual(metadata);
  });

  it('ends with eight digits for the cluster and eight for the topic', () => {
    expect(encodeMetadata(10, { settled, mark }, maxMetadataBytes)).toBe(`w1:AgM=@${mark.cluster}01234567`);
    expect(mark.cluster).toMatch(/^[0-9a-f]{8}$/v);
  });

  it('names the configurations topic before that, where the version before reads the mark of the log', () => {
    const text = encodeMetadata(10, { settled, mark, configurations }, maxMetadataBytes);
    expect(text).toBe(`w1:AgM=#${mark.cluster}c0ffee00@${mark.cluster}01234567`);
    // The expression of that version. It starts at the offset, because it can't decode the ranges.
    const groups = /^(?<settled>.*)@(?<cluster>[0-9a-f]{8})?(?<topic>[0-9a-f]{8})$/s.exec(text)?.groups;
    expect(groups).toMatchObject(mark);
    expect(decodeSettled(10, groups?.['settled'] ?? '')).toEqual([]);
  });

  it('of an earlier version has the mark of the topic alone', () => {
    expect(decodeMetadata(10, 'w1:AgM=@01234567')).toEqual({ settled, mark: earlierMark });
  });

  it('fits the limit of the brokers, and keeps the mark of the log rather than the ranges', () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({ start: 11 + 300 * index, end: 12 + 300 * index }));
    fc.assert(
      fc.property(fc.nat(maxMetadataBytes), fc.constantFrom(mark, earlierMark), (maxBytes, written) => {
        const text = encodeMetadata(10, { settled: many, mark: written }, maxBytes);
        const decoded = decodeMetadata(10, text);
        expect(text.length).toBeLessThanOrEqual(maxBytes);
        expect(decoded.settled).toEqual(many.slice(0, decoded.settled.length));
        expect(decoded.mark).toEqual(maxBytes < (written === mark ? 20 : 12) ? undefined : written);
      }),
    );
  });

  it('is empty if another tool has written it', () => {
    for (const text of [
      '',
      'hello',
      'hello@01234567',
      'w2:AQE=@01234567',
      'w1:AQE=@nothex00',
      'w1:AQE=@0123456789ab',
      'w1:AQE=#0123456@01234567',
      'w1:AQE=#01234567#01234567',
    ]) {
      expect(decodeMetadata(10, text)).toEqual({ settled: [], mark: undefined });
    }
  });

  it('is empty to the version before, which then starts at the offset', () => {
    const text = encodeMetadata(10, { settled, mark }, maxMetadataBytes);
    // The expression of that version. It decodes the whole text as ranges if the expression does not match.
    const earlierForm = /^(?<settled>.*)@(?<mark>[0-9a-f]{8})$/s;
    expect(earlierForm.test(text)).toBe(false);
    expect(text.startsWith(settledPrefix)).toBe(true);
    expect(decodeSettled(10, text)).toEqual([]);
  });
});

describe('the log of a commit, compared with the one that is read', () => {
  const otherTopic = 'fedcba9876543210fedcba9876543210';
  it.each([
    { committed: mark, current: mark, relation: 'same' },
    { committed: logMark('a', topicId), current: logMark('a', otherTopic), relation: 'recreated' },
    { committed: logMark('a', topicId), current: logMark('b', otherTopic), relation: 'other_cluster' },
    { committed: logMark('a', topicId), current: logMark('b', topicId), relation: 'other_cluster' },
    { committed: earlierMark, current: mark, relation: 'same' },
    { committed: earlierMark, current: logMark('a', otherTopic), relation: 'recreated' },
    { committed: mark, current: earlierMark, relation: 'same' },
    { committed: undefined, current: mark, relation: 'same' },
    { committed: mark, current: undefined, relation: 'same' },
  ] as const)('is $relation: $committed, $current', ({ committed, current, relation }) => {
    expect(relationOf(committed, current)).toBe(relation);
  });
});

describe('the configurations topic that the commits of a group name', () => {
  const current = logMark('a', 'c0ffee00');
  const [other, elsewhere] = [logMark('a', 'decaf000'), logMark('b', 'decaf000')];
  it.each([
    { named: [], isOther: false },
    { named: [undefined], isOther: false },
    { named: [current, undefined], isOther: false },
    { named: [other, undefined], isOther: true },
    { named: [other, current], isOther: false },
    { named: [elsewhere], isOther: false },
    { named: [logMark(undefined, 'decaf000')], isOther: true },
  ])('is another one if none is this one, and one of them is of this cluster: %o', ({ named, isOther }) => {
    const commits = named.map((one, partition) => ({ ...aCommit, partition, configurations: one }));
    expect(new GroupCommits(commits).nameOtherConfigurations(current)).toBe(isOther);
  });
});

describe('the commits of a group', () => {
  const commits = [
    { ...aCommit, settled, partition: 0, mark },
    { ...aCommit, settled, partition: 1 },
  ];
  const committed = new GroupCommits(commits);
  const assigned = { completed: [0, 1, 2] };
  const logs = (clusterId: string, id: string) => ({ clusterId, ids: new Map([['completed', id]]) });
  const ownCluster = 'MkU3OEVBNTcwNTJENDM2Qg';
  const settledIn = (
    { clusterId, ids }: { clusterId: string | undefined; ids: Map<string, string> },
    partition: number,
  ) => {
    const id = ids.get('completed');
    return committed.progressOf('completed', partition, id === undefined ? undefined : logMark(clusterId, id))?.settled;
  };

  it('are of an earlier topic if the id of the topic differs', () => {
    const current = logs(ownCluster, 'fedcba98');
    expect(committed.partitionsOfRecreatedTopics(assigned, current)).toEqual({ completed: [0] });
    expect(settledIn(current, 0)).toBeUndefined();
  });

  it('count without their ranges if they are of another cluster', () => {
    const current = logs('another', 'fedcba98');
    expect(committed.partitionsOfRecreatedTopics(assigned, current)).toEqual({ completed: [] });
    expect(settledIn(current, 0)).toEqual([]);
    expect(settledIn(current, 1)).toEqual(settled);
  });

  it.each([logs(ownCluster, topicId), { clusterId: undefined, ids: new Map<string, string>() }])(
    'count if the ids agree, or one of them is unknown: %o',
    (current) => {
      expect(committed.partitionsOfRecreatedTopics(assigned, current)).toEqual({ completed: [] });
      expect(settledIn(current, 0)).toEqual(settled);
    },
  );
});
