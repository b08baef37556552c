import { describe, expect, it } from 'vitest';
import { parseDocument, duplicateIdProblems, type DocumentEntry } from '../../../src/webhooks/files/documents.ts';

describe('the text of a file', () => {
  it.each([
    ['one.json', '{"_id": "a"}'],
    ['one.yaml', '_id: a'],
    ['one.yml', '# A comment.\n_id: "a"\n'],
    ['without-extension', '{_id: a}'],
  ])('may hold one configuration: %s', (path, text) => {
    expect(parseDocument(path, text)).toEqual({
      kind: 'entries',
      entries: [{ id: 'a', value: { _id: 'a' }, path, position: 1 }],
    });
  });

  it.each([
    ['list.jsonl', '{"_id":"a"}\n\n{"_id":"b \u2028"}\n'],
    ['list.jsonl', '{"_id":"a"}\r\n{"_id":"b \u2028"}'],
    ['-', '{"_id":"a"}\n{"_id":"b \u2028"}\n'],
    ['list.yaml', '- _id: a\n- _id: "b \u2028"\n'],
    ['-', '[{"_id": "a"},\n{"_id": "b \u2028"}]'],
    ['-', '# A comment.\n- _id: a\n- _id: "b \u2028"\n'],
  ])('may hold one a line, and without an extension it may have any syntax: %s %j', (path, text) => {
    expect(parseDocument(path, text)).toMatchObject({
      entries: [
        { id: 'a', position: 1 },
        { id: 'b \u2028', position: 2 },
      ],
    });
  });

  it.each(['list.json', 'list.yaml'])('may hold an empty list, for no configurations: %s', (path) => {
    expect(parseDocument(path, '[]')).toEqual({ kind: 'entries', entries: [] });
  });

  it.each([
    ['a.json', ''],
    ['a.yaml', ' \n'],
    ['a.json', 'null'],
    ['a.yaml', '# Nothing yet.\n'],
    ['a.yaml', '---\n'],
  ])('must not be empty: %s %j', (path, text) => {
    const problem = 'is empty; to have no configurations, write []';
    expect(parseDocument(path, text)).toEqual({ kind: 'unusable', problem });
  });

  it.each([
    ['a.json', '{"token": "s3cret"\n "b": 1}', 'is not JSON: line 2'],
    ['a.json', '{\n"token": s3cret}', 'is not JSON: line 2'],
    ['a.json', '[1,\n2,\n]', 'is not JSON'],
    ['a.jsonl', '{"_id": "a"}\n\n{"token": s3cret}', 'is not JSON: line 3'],
    ['-', '{"_id": "a"}\n{"token": s3cret}', 'is not JSON: line 2'],
    ['a.yaml', 'a: "s3cret\nb: 1', 'is not YAML: line 2, MISSING_CHAR'],
    ['a.yaml', 'token: s3cret\ntoken: s3cret', 'is not YAML: line 2, DUPLICATE_KEY'],
    ['a.yaml', 'a: 1\n---\nb: 2', 'is not YAML: line 2, MULTIPLE_DOCS'],
    ['a.yaml', 'a: 1\nb: !vault s3cret', 'is not YAML: line 2, TAG_RESOLVE_FAILED'],
    ['a.yaml', 'a: *s3cret', 'is not YAML: an alias that has no anchor or holds itself, or too many aliases'],
    ['a.yaml', '&a [*a]', 'is not YAML: an alias that has no anchor or holds itself, or too many aliases'],
    ['a.yaml', 'nonsense', 'is neither a configuration nor a list of them'],
    ['a.json', '7', 'is neither a configuration nor a list of them'],
  ])('must be parsable, and is never quoted in a problem: %s %j', (path, text, problem) => {
    expect(parseDocument(path, text)).toEqual({ kind: 'unusable', problem });
  });

  it.each(['a.json', 'a.jsonl', 'a.yaml', '-'])('says that lines of npm are in it: %s', (path) => {
    const text = '\n> certificate-webhooks@0.1.0 start\n> node src/main.ts configurations export\n\n{"_id":"a"}\n';
    expect(parseDocument(path, text)).toMatchObject({
      problem: expect.stringMatching(/^begins with lines of npm/) as string,
    });
  });

  it('keeps header names that equal property names of every object', () => {
    const parsed = parseDocument('a.yaml', '_id: a\ncustomHeaders:\n  __proto__: b\n  constructor: c\n');
    expect(JSON.stringify(parsed)).toContain('{"__proto__":"b","constructor":"c"}');
  });

  it.each([
    ['- _id: 665111112222333344445555', 'folder.yaml#1'],
    ['- url: https://hooks.example.com', 'folder.yaml#1'],
    ['- nonsense', 'folder.yaml#1'],
    ['- _id: ""', 'folder.yaml#1'],
  ])('may hold an entry without a usable id, which is named by file and position: %s', (text, id) => {
    expect(parseDocument('/some/folder.yaml', text)).toMatchObject({ entries: [{ id }] });
  });
});

function entry(id: string, path: string, position: number): DocumentEntry {
  return { id, path, position, value: {} };
}

describe('an id', () => {
  it('may occur once in all files', () => {
    expect(duplicateIdProblems([entry('a', 'one.json', 1), entry('b', 'two.json', 1)])).toEqual([]);
  });

  it('is reported with both positions when it occurs twice', () => {
    const entries = [entry('a', 'one.json', 1), entry('b', 'one.json', 2), entry('a', 'two.json', 1)];
    expect(duplicateIdProblems(entries)).toEqual([
      { path: 'two.json', problem: 'entry 1 has the _id of entry 1 in one.json: a' },
    ]);
  });
});
