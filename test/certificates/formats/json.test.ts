import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../src/certificates/framing.ts';

it('parses any JSON and returns the same buffer', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = Buffer.from(text);
      const parsed = parseJson(value);
      expect(parsed).toEqual({ kind: 'json', document: JSON.parse(text), bytes: value });
      expect(parsed.kind === 'json' && parsed.bytes).toBe(value);
    }),
  );
});

it.each([
  { bytes: Buffer.from([0x22, 0xc3, 0x28, 0x22]), what: 'a broken sequence', message: 'the value is not UTF-8' },
  { bytes: Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), what: 'a lone surrogate', message: 'the value is not UTF-8' },
  { bytes: Buffer.from('"größer"', 'latin1'), what: 'Latin-1', message: 'the value is not UTF-8' },
  { bytes: Buffer.from('{}', 'utf16le'), what: 'UTF-16', message: 'the value is not JSON' },
  { bytes: Buffer.from('\uFEFF{}'), what: 'a byte order mark', message: 'the value begins with a byte order mark' },
  { bytes: Buffer.from('{"token":"hunter2"'), what: 'a truncated document', message: 'the value is not JSON' },
  { bytes: Buffer.from('{} {}'), what: 'two documents', message: 'the value is not JSON' },
  { bytes: Buffer.from('{"a":NaN}'), what: 'a value that JSON lacks', message: 'the value is not JSON' },
])('refuses $what without quoting it', ({ bytes, message }) => {
  expect(parseJson(bytes)).toEqual({ kind: 'undecodable', message });
});

it('parses nesting of any depth', () => {
  const depth = 100_000;
  expect(parseJson(Buffer.from('['.repeat(depth) + ']'.repeat(depth)))).toMatchObject({ kind: 'json' });
});

it('parses the next value after a refusal', () => {
  parseJson(Buffer.from([0x22, 0xc3]));
  expect(parseJson(Buffer.from('"é"'))).toMatchObject({ document: 'é' });
});
