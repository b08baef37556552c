import { describe, expect, it } from 'vitest';
import { ByteSearch } from '../../../src/cli/explain/byte-search.ts';

describe('a search for a text in values', () => {
  const search = new ByteSearch('c/ä"0');

  it.each([
    [String.raw`{"_id":"c/ä\"0"}`, true],
    [String.raw`{"_id":"\u0063/ä\"0"}`, true],
    [String.raw`{"_id":"c/\u00E4\"0"}`, true],
    [String.raw`{"_id":"c/ä\"\u0030"}`, true],
    [String.raw`{"_id":"c\/ä\"0"}`, true],
    [String.raw`{"_id":"b","name":"\u00df\u20ac","more":"\u0063"}`, true],
    [String.raw`{"_id":"b","name":"\u00df\u20ac \\u"}`, false],
    [String.raw`{"_id":"b","name":"a\nb"}`, false],
  ])('may find it in %s: %s', (value, expected) => {
    expect(search.mayBeIn(Buffer.from(value))).toBe(expected);
  });

  it('takes no slash for an escape of a text without one', () => {
    expect(new ByteSearch('c').mayBeIn(Buffer.from(String.raw`{"_id":"b","url":"https:\/\/a"}`))).toBe(false);
  });
});
