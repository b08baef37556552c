import { describe, expect, it } from 'vitest';
import type { FramedValues } from '../../../src/certificates/framing.ts';
import type { ReadResult } from '../../../src/certificates/formats/format.ts';
import type { Plain } from '../../../src/certificates/plain.ts';
import { TopicTable } from '../../../src/kafka/reader/topic-table.ts';
import { MapTable } from '../support/map-table.ts';

const record = (key: string | null, value: string | null) => ({
  key: key === null ? null : Buffer.from(key),
  value: value === null ? null : Buffer.from(value),
  timestamp: '0',
});

/** Returns the table of a topic with one partition whose first read has begun. */
function startRead(table: MapTable, framed?: FramedValues): TopicTable {
  const topic = new TopicTable(table, framed);
  topic.beginRead(1);
  return topic;
}

describe('TopicTable', () => {
  it('holds the newest value of each key, and no removed key', () => {
    const table = new MapTable();
    const topic = startRead(table);
    for (const one of [record('a', '1'), record('b', '1'), record('a', '2'), record('b', null)]) topic.apply(one, 0);
    expect(table.entries()).toEqual({ a: '2' });
  });

  it('ignores a record without a key', () => {
    const table = new MapTable();
    startRead(table).apply(record(null, '1'), 0);
    expect(table.entries()).toEqual({});
  });

  it('keeps its state while the topic is read again, and is replaced at the end', () => {
    const table = new MapTable();
    const topic = startRead(table);
    for (const one of [record('gone', '1'), record('kept', '3')]) topic.apply(one, 0);
    topic.beginRead(1);
    for (const one of [record('kept', '1'), record('new', '1'), record('removed', '1'), record('removed', null)]) {
      topic.apply(one, 0);
    }
    expect(table.entries()).toEqual({ gone: '1', kept: '3' });
    topic.finishRead();
    expect(table.entries()).toEqual({ kept: '1', new: '1' });
    topic.apply(record('new', '2'), 0);
    expect(table.entries()).toEqual({ kept: '1', new: '2' });
  });

  it('collects copies for a rebuild, not slices of a response', () => {
    const table = new MapTable();
    const topic = startRead(table);
    topic.beginRead(1);
    const response = Buffer.from('a1');
    topic.apply({ key: response.subarray(0, 1), value: response.subarray(1), timestamp: '0' }, 0);
    response.fill('x');
    topic.finishRead();
    expect(table.entries()).toEqual({ a: '1' });
  });

  it('drops a rebuild that was restarted before it was complete', () => {
    const table = new MapTable();
    const topic = startRead(table);
    topic.beginRead(1);
    topic.apply(record('first', '1'), 0);
    topic.beginRead(1);
    topic.apply(record('second', '1'), 0);
    topic.finishRead();
    expect(table.entries()).toEqual({ second: '1' });
  });

  it('changes nothing when its first read is complete', () => {
    const table = new MapTable();
    const topic = startRead(table);
    topic.apply(record('a', '1'), 0);
    topic.finishRead();
    expect(table.entries()).toEqual({ a: '1' });
  });
});

describe('a framed value in a topic', () => {
  const framed = { key: Buffer.from('a'), value: Buffer.from([0, 0, 0, 0, 1]), timestamp: '0' };
  const wait = Promise.resolve();

  function tableOf(reading: ReadResult) {
    const table = new MapTable();
    return { table, topic: startRead(table, { whenReadable: () => wait, read: () => reading }) };
  }

  it('is converted to JSON without unset fields', () => {
    const value = new Map<string, Plain>([
      ['_id', 'a'],
      ['paused', null],
    ]);
    const { table, topic } = tableOf({ kind: 'plain', value });
    topic.apply(framed, 0);
    expect(table.entries()).toEqual({ a: '{"_id":"a"}' });
    topic.beginRead(1);
    topic.apply(framed, 0);
    topic.finishRead();
    expect(table.entries()).toEqual({ a: '{"_id":"a"}' });
  });

  it('stays as it is when it holds JSON or is undecodable', () => {
    const json = tableOf({ kind: 'json', document: {}, bytes: Buffer.from('{ }') });
    json.topic.apply(framed, 0);
    expect(json.table.entries()).toEqual({ a: '{ }' });
    const broken = tableOf({ kind: 'undecodable', message: 'broken' });
    broken.topic.apply(framed, 0);
    expect(broken.table.entries()).toEqual({ a: framed.value.toString() });
  });

  it('delays its record until it is readable, and no other record', () => {
    const { topic } = tableOf({ kind: 'undecodable', message: 'broken' });
    expect(topic.whenReadable(framed)).toBe(wait);
    for (const value of [null, Buffer.from('{}'), Buffer.alloc(0)]) {
      expect(topic.whenReadable({ ...framed, value })).toBeUndefined();
    }
    expect(topic.whenReadable({ ...framed, key: null })).toBeUndefined();
  });
});
