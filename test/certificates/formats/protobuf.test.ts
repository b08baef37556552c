import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { compileProtobuf } from '../../../src/certificates/formats/protobuf.ts';
import { messageIndexes } from '../../support/registry/framed.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';

const first = messageIndexes(0);

/** Reads a message of a file that has only the message `M`. The bytes follow the message index. */
function read(body: string, hex: string, { syntax = 'proto3', imports = '' } = {}): string {
  const file = `syntax = "${syntax}"; ${imports} message M { ${body} }`;
  return readingText(compileProtobuf(aSchema('PROTOBUF', file))(Buffer.concat([first, Buffer.from(hex, 'hex')])));
}

/** Encodes a value without the message index. */
function encoded(file: string, type: string, value: Readonly<Record<string, unknown>>): Buffer {
  const { root } = protobuf.parse(file, { keepCase: true });
  for (const name of ['timestamp', 'wrappers', 'struct']) {
    root.addJSON(protobuf.common.get(`google/protobuf/${name}.proto`)?.nested ?? {});
  }
  const message = root.lookupType(type);
  return Buffer.from(message.encode(message.fromObject(value)).finish());
}

describe('a Protobuf message', () => {
  it.each([
    ['bool f = 1;', '0801', '{"f":true}'],
    ['int32 f = 1;', '08ffffffffffffffffff01', '{"f":-1}'],
    ['int64 f = 1;', '08ffffffffffffffff7f', '{"f":9223372036854775807}'],
    ['uint64 f = 1;', '08ffffffffffffffffff01', '{"f":18446744073709551615}'],
    ['sfixed64 f = 1;', '090000000000000080', '{"f":-9223372036854775808}'],
    ['double f = 1;', '09000000000000f87f', '{"f":null}'],
    ['float f = 1;', '0dcdcccc3d', '{"f":0.1}'],
    ['string f = 1;', '0a02c3a4', '{"f":"ä"}'],
    ['bytes f = 1;', '0a03616263', '{"f":"YWJj"}'],
    ['repeated int64 f = 1;', '0a020102', '{"f":[1,2]}'],
    ['enum E { NONE = 0; ONE = 1; } E f = 1;', '0801', '{"f":"ONE"}'],
    ['enum E { NONE = 0; ONE = 1; } E f = 1;', '0807', '{"f":7}'],
    ['map<string, bool> f = 1;', '0a0d0a095f5f70726f746f5f5f1001', '{"f":{"__proto__":true}}'],
    ['map<int64, string> f = 1;', '0a0e08ffffffffffffffffff01120161', '{"f":{"-1":"a"}}'],
    ['map<uint64, string> f = 1;', '0a0e08ffffffffffffffffff01120161', '{"f":{"18446744073709551615":"a"}}'],
    ['oneof k { string f = 1; int32 g = 2; }', '1007', '{"g":7}'],
    ['message N { M m = 1; int32 n = 2; } N f = 1;', '0a021003', '{"f":{"m":null,"n":3}}'],
  ])('with %s is JSON', (body, hex, json) => {
    expect(read(body, hex)).toBe(json);
  });

  it('has defaults for absent fields, or null for fields that can be unset', () => {
    const body =
      'string s = 1; bool b = 2; int64 l = 3; enum E { NONE = 0; } E e = 4; bytes y = 5; repeated int32 r = 6; ' +
      'map<string, int32> m = 7; M n = 8; optional int32 o = 9; oneof k { string a = 10; }';
    expect(read(body, '')).toBe('{"s":"","b":false,"l":0,"e":"NONE","y":"","r":[],"m":{},"n":null,"o":null}');
    expect(read(body, '4800')).toContain('"o":0');
  });

  it('of the older syntax has the defaults of its file', () => {
    const body = 'optional string s = 1 [default = "d"]; optional int32 i = 2; repeated bool r = 3;';
    expect(read(body, '', { syntax: 'proto2' })).toBe('{"s":"d","i":null,"r":[]}');
    expect(read('required string s = 1;', '', { syntax: 'proto2' })).toContain('contradicts its Protobuf schema');
  });

  it('uses the JSON names of its fields, but keeps leading underscores', () => {
    const body = `int32 rule_data = 1; int32 _lesson_active_ids = 2; int32 __v = 3; int32 id = 4 [json_name = "_id"];
      int32 trailing_ = 5; int32 camelCase = 6;`;
    const names = Object.keys(Object(JSON.parse(read(body, ''))));
    expect(names).toEqual(['ruleData', '_lessonActiveIds', '__v', '_id', 'trailing', 'camelCase']);
  });

  it('simplifies well-known types', () => {
    const file = `syntax = "proto3";
      import "google/protobuf/timestamp.proto"; import "google/protobuf/wrappers.proto";
      import "google/protobuf/struct.proto";
      message M { google.protobuf.Timestamp at = 1; google.protobuf.Int64Value n = 2; google.protobuf.BoolValue b = 3;
        google.protobuf.StringValue unset = 4; google.protobuf.Struct s = 5; google.protobuf.Timestamp early = 6; }`;
    const payload = encoded(file, 'M', {
      at: { seconds: 1_773_480_413, nanos: 589_999_999 },
      n: { value: '9007199254740993' },
      b: {},
      s: { fields: { a: { listValue: { values: [{ nullValue: 0 }, { numberValue: 1.5 }, { stringValue: 's' }] } } } },
      early: { seconds: -1, nanos: 999_000_000 },
    });
    expect(readingText(compileProtobuf(aSchema('PROTOBUF', file))(Buffer.concat([first, payload])))).toBe(
      '{"at":"2026-03-14T09:26:53.589Z","n":9007199254740993,"b":false,"unset":null,"s":{"a":[null,1.5,"s"]},' +
        '"early":"1969-12-31T23:59:59.999Z"}',
    );
  });
});

describe('the index in front of a message', () => {
  const file =
    'syntax = "proto3"; package p; enum E { NONE = 0; } message A { int32 a = 1; } ' +
    'message B { message C { int32 c = 1; } enum F { NIL = 0; } message D { message G { int32 g = 1; } int32 d = 1; } }';
  const format = compileProtobuf(aSchema('PROTOBUF', file));

  it.each<readonly [indexes: readonly number[], json: string]>([
    [[0], '{"a":7}'],
    [[1, 0], '{"c":7}'],
    [[1, 1], '{"d":7}'],
    [[1, 1, 0], '{"g":7}'],
  ])('selects the message, the first one in one byte: %j', (indexes, json) => {
    expect(readingText(format(Buffer.concat([messageIndexes(...indexes), Buffer.of(8, 7)])))).toBe(json);
  });

  it('may have the long form for the first message, too', () => {
    expect(readingText(format(Buffer.of(2, 0, 8, 7)))).toBe('{"a":7}');
  });

  it.each([[[2]], [[-1]], [[0, 0]], [[1, 1, 0, 0]]])('is undecodable when there is no such message: %j', (indexes) => {
    const head = Buffer.from([indexes.length * 2, ...indexes.map((index) => (index < 0 ? 1 : index * 2))]);
    expect(readingText(format(head))).toBe('the value contradicts its Protobuf schema: it has no such message');
  });

  it.each(['', '01', 'ffffffff0f', '04'])('is undecodable when it is broken: %s', (hex) => {
    expect(format(Buffer.from(hex, 'hex')).kind).toBe('undecodable');
  });

  it('selects an empty message when no bytes follow', () => {
    const empty = compileProtobuf(aSchema('PROTOBUF', 'syntax = "proto3"; message M {}'));
    expect(readingText(empty(Buffer.of(0)))).toBe('{}');
  });

  it('does not count messages of the same package that other files declare', () => {
    const references = [{ name: 'other.proto', text: 'syntax = "proto3"; package p; message Other { string o = 1; }' }];
    const own = 'syntax = "proto3"; package p; import "other.proto"; message Own { Other other = 1; }';
    const { root } = protobuf.parse(own, { keepCase: true });
    protobuf.parse(references[0]?.text ?? '', root, { keepCase: true });
    const type = root.lookupType('p.Own');
    const payload = Buffer.from(type.encode(type.fromObject({ other: { o: 'x' } })).finish());
    const reading = compileProtobuf(aSchema('PROTOBUF', own, references))(Buffer.concat([first, payload]));
    expect(readingText(reading)).toBe('{"other":{"o":"x"}}');
  });
});

describe('a value that contradicts its Protobuf schema', () => {
  it.each([
    ['end early', '0a05616263'],
    ['hold a text that is not UTF-8', '0a02c328'],
    ['have a field of no wire type', '0f'],
    ['have a group that does not end', '0b'],
  ])('is undecodable: bytes that %s', (_what, hex) => {
    expect(read('string f = 1;', hex)).toBe(
      'the value contradicts its Protobuf schema: the bytes are those of no such message',
    );
  });

  it('is undecodable when a timestamp is out of range', () => {
    const imports = 'import "google/protobuf/timestamp.proto";';
    const hex = '0a0a08ffffffffffffffff7f';
    expect(read('google.protobuf.Timestamp t = 1;', hex, { imports })).toContain('contradicts');
  });
});

it('a Protobuf schema can not be used when it names a missing type', () => {
  const text = 'syntax = "proto3"; message M { Missing m = 1; }';
  expect(() => compileProtobuf(aSchema('PROTOBUF', text))).toThrow('no such');
});
