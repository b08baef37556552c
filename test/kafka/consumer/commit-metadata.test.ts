import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMetadata, encodeMetadata, topicMark } from '../../../src/kafka/consumer/commit-metadata.ts';
import { GroupCommits } from '../../../src/kafka/consumer/group-commits.ts';
import { maxMetadataBytes } from '../../../src/kafka/consumer/settled-offsets.ts';

const mark = topicMark('0123456789abcdef0123456789abcdef');
const settled = [{ start: 12, end: 15 }];

describe('the metadata of a commit', () => {
  it.each([
    { settled, topicMark: mark },
    { settled: [], topicMark: mark },
    { settled, topicMark: undefined },
    { settled: [], topicMark: undefined },
  ])('is decoded as it was encoded: %o', (metadata) => {
    expect(decodeMetadata(10, encodeMetadata(10, metadata, maxMetadataBytes))).toEqual(metadata);
  });

  it('fits the limit of the brokers, and keeps the mark of the topic rather than the ranges', () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({ start: 11 + 300 * index, end: 12 + 300 * index }));
    fc.assert(
      fc.property(fc.nat(maxMetadataBytes), (maxBytes) => {
        const text = encodeMetadata(10, { settled: many, topicMark: mark }, maxBytes);
        const decoded = decodeMetadata(10, text);
        expect(text.length).toBeLessThanOrEqual(maxBytes);
        expect(decoded.settled).toEqual(many.slice(0, decoded.settled.length));
        expect(decoded.topicMark).toBe(maxBytes < 12 ? undefined : mark);
      }),
    );
  });

  it('is empty if another tool has written it', () => {
    for (const text of ['', 'hello', `hello@${mark}`, `w2:AQE=@${mark}`, 'w1:AQE=@nothex00']) {
      expect(decodeMetadata(10, text)).toEqual({ settled: [], topicMark: undefined });
    }
  });
});

describe('a commit of an earlier topic of the same name', () => {
  const committed = new GroupCommits(
    new Map([
      ['completed/0', { settled: [], topicMark: mark }],
      ['completed/1', { settled: [], topicMark: undefined }],
    ]),
  );
  const assigned = { completed: [0, 1, 2] };

  it('is recognised by the id of the topic', () => {
    expect(committed.partitionsOfRecreatedTopics(assigned, new Map([['completed', 'fedcba98']]))).toEqual({
      completed: [0],
    });
  });

  it('is not found if the ids agree, or one of them is unknown', () => {
    expect(committed.partitionsOfRecreatedTopics(assigned, new Map([['completed', `${mark}0000`]]))).toEqual({
      completed: [],
    });
    expect(committed.partitionsOfRecreatedTopics(assigned, new Map())).toEqual({ completed: [] });
  });
});
