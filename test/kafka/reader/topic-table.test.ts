import { describe, expect, it } from 'vitest';
import { TopicTable } from '../../../src/kafka/reader/topic-table.ts';
import { MapTable } from '../support/map-table.ts';

const record = (key: string | null, value: string | null) => ({
  key: key === null ? null : Buffer.from(key),
  value: value === null ? null : Buffer.from(value),
  timestamp: '0',
});

/** Returns the table of a topic with one partition whose first read has begun. */
function startRead(table: MapTable): TopicTable {
  const topic = new TopicTable(table);
  topic.beginRead(1);
  return topic;
}

describe('TopicTable', () => {
  it('ignores a record without a key', () => {
    const table = new MapTable();
    startRead(table).apply(record(null, '1'), 0);
    expect(table.entries()).toEqual({});
  });

  it('keeps its state while the topic is read again, and takes all that was found in one step', () => {
    const table = new MapTable();
    const topic = startRead(table);
    for (const one of [record('gone', '1'), record('kept', '3')]) topic.apply(one, 0);
    topic.beginRead(1);
    for (const one of [record('kept', '1'), record('new', '1'), record('removed', '1'), record('removed', null)]) {
      topic.apply(one, 0);
    }
    expect(table.entries()).toEqual({ gone: '1', kept: '3' });
    topic.applyCollected();
    expect(table.entries()).toEqual({ gone: '1', kept: '1', new: '1' });
    expect(topic.missing).toEqual({ keys: new Set(['gone']), expected: 2 });
    topic.removeMissing();
    topic.apply(record('new', '2'), 0);
    expect([table.entries(), topic.size]).toEqual([{ kept: '1', new: '2' }, 2]);
  });

  it('keeps no more of a key or a collected document than tells that it is too long', () => {
    const table = new MapTable();
    const topic = startRead(table);
    for (const _ of ['first', 'again']) {
      topic.beginRead(1);
      topic.apply(record('k'.repeat(1_000_000), 'v'.repeat(1_000_000)), 0);
      topic.applyCollected();
    }
    expect(table.entries()).toEqual({ ['k'.repeat(2048)]: 'v'.repeat(131_072) });
  });

  it('collects copies for a rebuild, not slices of a response', () => {
    const table = new MapTable();
    const topic = startRead(table);
    topic.beginRead(1);
    const response = Buffer.from('a1');
    topic.apply({ key: response.subarray(0, 1), value: response.subarray(1), timestamp: '0' }, 0);
    response.fill('x');
    topic.applyCollected();
    expect(table.entries()).toEqual({ a: '1' });
  });

  it('drops a rebuild that was restarted before it was complete', () => {
    const table = new MapTable();
    const topic = startRead(table);
    topic.beginRead(1);
    topic.apply(record('first', '1'), 0);
    topic.beginRead(1);
    topic.apply(record('second', '1'), 0);
    topic.applyCollected();
    topic.removeMissing();
    expect(table.entries()).toEqual({ second: '1' });
  });
});

describe('the values of an answer', () => {
  it('are shown to the table before they are applied, without tombstones', async () => {
    const seen: string[] = [];
    const prepared = Promise.resolve();
    const prepare = (values: Iterable<Uint8Array>): Promise<void> => {
      for (const value of values) seen.push(Buffer.from(value).toString());
      return prepared;
    };
    const topic = new TopicTable(Object.assign(new MapTable(), { prepare }));
    expect(topic.prepare([record('a', '1'), record('b', null), record('c', '2')])).toBe(prepared);
    expect(seen).toEqual(['1', '2']);
    expect(new TopicTable(new MapTable()).prepare([record('a', '1')])).toBeUndefined();
  });
});
