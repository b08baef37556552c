import avro from 'avsc';
import { describe, expect, it } from 'vitest';
import { compileAvro } from '../../../src/certificates/formats/avro.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';

const read = (schema: unknown, payload: Uint8Array): string =>
  readingText(compileAvro(aSchema('AVRO', schema))(Buffer.from(payload)));

/** Encodes the value with a library and reads it back. */
function reread(schema: avro.Schema, value: unknown): string {
  return read(schema, avro.Type.forSchema(schema).toBuffer(value));
}

function record(...types: readonly unknown[]) {
  const fields = types.map((type, index) => ({ name: `f${index}`, type }));
  return { type: 'record', name: 'R', namespace: 'test', fields };
}

describe('a value of Avro', () => {
  it.each<readonly [type: avro.Schema, value: unknown, json: string]>([
    ['null', null, 'null'],
    ['boolean', true, 'true'],
    ['int', -2_147_483_648, '-2147483648'],
    ['float', 0.5, '0.5'],
    ['float', 0.1, '0.1'],
    ['double', Number.NaN, 'null'],
    ['string', 'ä\u{1F393}"', '"ä\u{1F393}\\""'],
    ['bytes', Buffer.from('bytes'), '"Ynl0ZXM="'],
    [{ type: 'fixed', name: 'F', size: 2 }, Buffer.from('ab'), '"YWI="'],
    [{ type: 'enum', name: 'E', symbols: ['ONE', 'TWO'] }, 'TWO', '"TWO"'],
    [{ type: 'array', items: 'int' }, [1, 2, 3], '[1,2,3]'],
    [{ type: 'map', values: 'boolean' }, { b: true, a: false }, '{"b":true,"a":false}'],
    [['null', 'string'], 'set', '"set"'],
    [['null', 'string'], null, 'null'],
  ])('of type %j is %j in JSON', (type, value, json) => {
    expect(reread(type, value)).toBe(json);
  });

  it('keeps all 64 bits', () => {
    expect(read('long', Buffer.from('feffffffffffffffff01', 'hex'))).toBe('9223372036854775807');
    expect(read('long', Buffer.from('ffffffffffffffffff01', 'hex'))).toBe('-9223372036854775808');
  });

  it('does not show the branch of its union', () => {
    const schema = record(['int', 'long', 'string'], ['null', { type: 'record', name: 'Inner', fields: [] }]);
    expect(read(schema, Buffer.from([0, 2, 2]))).toBe('{"f0":1,"f1":{}}');
  });

  it('may be of a type that was defined before, by its short or full name, and of its own type', () => {
    const inner = { type: 'enum', name: 'Kind', symbols: ['A'] };
    const schema = record(inner, 'Kind', 'test.Kind', ['null', 'R']);
    expect(read(schema, Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]))).toBe(
      '{"f0":"A","f1":"A","f2":"A","f3":{"f0":"A","f1":"A","f2":"A","f3":null}}',
    );
  });

  it('may be of types from references', () => {
    const text = JSON.stringify({ type: 'fixed', name: 'Two', namespace: 'other', size: 2 });
    const format = compileAvro(aSchema('AVRO', record('other.Two'), [{ name: 'other.Two', text }]));
    expect(readingText(format(Buffer.from('ab')))).toBe('{"f0":"YWI="}');
  });

  it('is read in blocks, with or without their sizes', () => {
    expect(read({ type: 'array', items: 'int' }, Buffer.from([2, 2, 3, 4, 4, 6, 0]))).toBe('[1,2,3]');
  });
});

describe('a logical type of Avro', () => {
  const time = Date.parse('2026-03-14T09:26:53.589Z');

  it.each([
    ['long', 'timestamp-millis', time, '2026-03-14T09:26:53.589Z'],
    ['long', 'timestamp-micros', time * 1000 + 999, '2026-03-14T09:26:53.589Z'],
    ['long', 'local-timestamp-millis', time, '2026-03-14T09:26:53.589Z'],
    ['long', 'timestamp-micros', -1, '1969-12-31T23:59:59.999Z'],
    ['int', 'date', 20_526, '2026-03-14T00:00:00.000Z'],
  ])('%s, %s, becomes a date in the form of the contract', (type, logicalType, value, iso) => {
    expect(reread({ type, logicalType } as avro.Schema, value)).toBe(JSON.stringify(iso));
  });

  it('timestamp-nanos becomes such a date, too', () => {
    // That time in nanoseconds, and 999,999 more.
    const bytes = Buffer.from('fec5a8c2c6c2d59c31', 'hex');
    expect(read({ type: 'long', logicalType: 'timestamp-nanos' }, bytes)).toBe('"2026-03-14T09:26:53.589Z"');
  });

  it.each([
    ['04d2', 2, '12.34'],
    ['fb2e', 2, '-12.34'],
    ['05', 3, '0.005'],
    ['7b', 0, '123'],
    ['', 2, '0.00'],
  ])('decimal keeps all digits: %s with scale %i is %s', (hex, scale, json) => {
    const bytes = Buffer.from(hex, 'hex');
    const decimal = { type: 'bytes', logicalType: 'decimal', precision: 9, scale };
    expect(read(decimal, Buffer.concat([Buffer.of(bytes.length * 2), bytes]))).toBe(json);
    if (bytes.length === 0) return;
    const fixed = { ...decimal, type: 'fixed', name: 'D', size: bytes.length };
    expect(read(record(fixed, 'D'), Buffer.concat([bytes, bytes]))).toBe(`{"f0":${json},"f1":${json}}`);
  });

  it('that does not fit its type is ignored', () => {
    expect(reread({ type: 'string', logicalType: 'uuid' }, 'u')).toBe('"u"');
    expect(reread({ type: 'string', logicalType: 'timestamp-millis' }, 't')).toBe('"t"');
  });
});

describe('a value that contradicts its Avro schema', () => {
  it.each<readonly [what: string, schema: unknown, hex: string]>([
    ['ends early', record('string'), '0a616263'],
    ['ends in a number', 'long', 'ff'],
    ['has more bytes', 'int', '0200'],
    ['has eleven bytes of number', 'long', 'ffffffffffffffffffff01'],
    ['has 33 bits of int', 'int', '8080808020'],
    ['has a boolean of two', 'boolean', '02'],
    ['chooses a missing branch', ['null', 'int'], '04'],
    ['chooses a branch below the first', ['null', 'int'], '01'],
    ['chooses a missing symbol', { type: 'enum', name: 'E', symbols: ['A'] }, '02'],
    ['has a text of minus one bytes', 'string', '01'],
    ['has a text that is not UTF-8', 'string', '02ff'],
    ['has a date out of range', { type: 'long', logicalType: 'timestamp-millis' }, 'feffffffffffffffff01'],
    ['is empty', record('string'), ''],
  ])('is undecodable, with a message that does not quote it: one that %s', (_what, schema, hex) => {
    const reading = compileAvro(aSchema('AVRO', schema))(Buffer.from(hex, 'hex'));
    expect(reading.kind).toBe('undecodable');
    expect(readingText(reading)).toMatch(/^the value contradicts its Avro schema: [a-z0-9A-Z -]+$/);
  });

  it.each(['array', 'map'])(
    'costs neither time nor memory when it declares 4,000,000,000 elements of an %s',
    (type) => {
      // These five bytes declare 4,000,000,000 elements.
      const reading = compileAvro(aSchema('AVRO', { type, items: 'null', values: 'null' }))(
        Buffer.from('80a0d9e61d', 'hex'),
      );
      expect(readingText(reading)).toBe('the value is too complex: it has more than 50000 values');
    },
  );

  it('costs neither for nested lists whose elements take no byte', () => {
    const inner = { type: 'array', items: 'null' };
    // A list of 60 lists, each of which declares 1,000 nulls: 183 bytes in all.
    const payload = Buffer.concat([Buffer.of(120), ...Array(60).fill(Buffer.of(0xd0, 0x0f, 0)), Buffer.of(0)]);
    expect(read({ type: 'array', items: inner }, payload)).toContain('it has more than 50000 values');
    expect(read(inner, Buffer.of(6, 0))).toBe('[null,null,null]');
  });

  it('is undecodable when it is nested too deeply', () => {
    const payload = Buffer.alloc(1_000_000, 2);
    expect(read(record(['null', 'R']), payload)).toContain('it is nested more than 100 deep');
    expect(read(record('R'), payload)).toContain('it is nested more than 100 deep');
  });
});

describe('an Avro schema', () => {
  it.each<readonly [what: string, schema: unknown]>([
    ['names a missing type', record('Missing')],
    ['has a record without fields', { type: 'record', name: 'R' }],
    ['has a record without a name', { type: 'record', fields: [] }],
    ['has an enumeration without symbols', { type: 'enum', name: 'E' }],
    ['has a fixed type without a size', { type: 'fixed', name: 'F' }],
    ['has a number for a type', record(1)],
  ])('can not be used when it %s', (_what, schema) => {
    expect(() => compileAvro(aSchema('AVRO', schema))).toThrow(/type/);
  });

  it('may have an invalid default, which only readers of another schema need', () => {
    const schema = { type: 'record', name: 'R', fields: [{ name: 'f', type: ['string', 'null'], default: null }] };
    expect(read(schema, Buffer.from([2]))).toBe('{"f":null}');
  });
});
