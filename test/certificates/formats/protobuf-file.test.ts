import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/certificates/formats/compile.ts';
import { compileProtobuf } from '../../../src/certificates/formats/protobuf.ts';
import type { SchemaReference } from '../../../src/certificates/framing.ts';
import { messageIndexes } from '../../support/registry/framed.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';

/** Reads a value of the first message, by default one with the text `x` in its field 1. */
function read(text: string, references: readonly SchemaReference[] = [], hex = '0a0178'): string {
  return readingText(compileProtobuf(aSchema('PROTOBUF', text, references))(Buffer.from(`00${hex}`, 'hex')));
}

describe('a Protobuf schema with options', () => {
  const validation = `syntax = "proto2"; package buf.validate;
    import "google/protobuf/descriptor.proto"; import "google/protobuf/duration.proto";
    extend google.protobuf.FieldOptions { optional FieldRules field = 1159; }
    message FieldRules { optional bool required = 25; oneof type { StringRules string = 14; } extensions 1000 to max; }
    message StringRules { optional bool uuid = 22; optional google.protobuf.Duration within = 3; }`;
  const gogo = `syntax = "proto2"; package gogoproto; import "google/protobuf/descriptor.proto";
    extend google.protobuf.FileOptions { optional bool marshaler_all = 63017; }
    extend google.protobuf.FieldOptions { optional string customname = 65003; optional bool nullable = 65001; }`;

  it.each<readonly [what: string, text: string, references: readonly SchemaReference[]]>([
    [
      'of its own',
      `syntax = "proto3"; package a.b; import "google/protobuf/descriptor.proto";
       extend google.protobuf.FieldOptions { string sensitivity = 50001; }
       message M { string id = 1 [(sensitivity) = "low"]; }`,
      [],
    ],
    [
      'that a message declares',
      `syntax = "proto3"; import "google/protobuf/descriptor.proto";
       message M { string id = 1 [(M.mark) = true]; extend google.protobuf.FieldOptions { bool mark = 50002; } }`,
      [],
    ],
    [
      'of protovalidate',
      `syntax = "proto3"; import "buf/validate/validate.proto";
       message M { option (buf.validate.message).cel = { id: "a", expression: "this.id != ''" };
         string id = 1 [(buf.validate.field).string.uuid = true, (buf.validate.field).required = true]; }`,
      [{ name: 'buf/validate/validate.proto', text: validation }],
    ],
    [
      'of protovalidate, which is not registered',
      `syntax = "proto3"; import "buf/validate/validate.proto";
       message M { string id = 1 [(buf.validate.field).string = { min_len: 1, in: ["x", "y"], not_in: [] }]; }`,
      [],
    ],
    [
      'of gogo',
      `syntax = "proto3"; import "gogoproto/gogo.proto"; option (gogoproto.marshaler_all) = true;
       message M { string id = 1 [(gogoproto.customname) = "ID", (gogoproto.nullable) = false]; }`,
      [{ name: 'gogoproto/gogo.proto', text: gogo }],
    ],
    [
      'of Google APIs',
      `syntax = "proto3"; import "google/api/annotations.proto"; import "google/api/field_behavior.proto";
       message M { string id = 1 [(google.api.field_behavior) = REQUIRED]; }
       service S { rpc Get(M) returns (M) {
         option (google.api.http) = { get: "/v1/{id}" additional_bindings { get: "/v2/{id}" } }; } }`,
      [],
    ],
    [
      'of Confluent, with a list of messages',
      `syntax = "proto3"; import "confluent/meta.proto";
       message M { string id = 1 [(confluent.field_meta) = { doc: "x", params: [{ key: "a", value: "b" }] }]; }`,
      [],
    ],
    [
      'for messages of a file that is not there',
      `syntax = "proto3"; package a; import "other.proto"; extend other.Options { string q = 50; }
       message M { string id = 1; }`,
      [],
    ],
  ])('%s is read, and the options are ignored', (_what, text, references) => {
    expect(read(text, references)).toBe('{"id":"x"}');
  });
});

describe('a well-known file', () => {
  it.each([
    ['api', 'Api'],
    ['type', 'Type'],
    ['source_context', 'SourceContext'],
    ['descriptor', 'FileDescriptorProto'],
    ['struct', 'Struct'],
    ['any', 'Any'],
    ['field_mask', 'FieldMask'],
    ['duration', 'Duration'],
    ['empty', 'Empty'],
    ['wrappers', 'StringValue'],
    ['timestamp', 'Timestamp'],
  ])('google/protobuf/%s.proto need not be registered', (file, type) => {
    const text = `syntax = "proto3"; import "google/protobuf/${file}.proto";
      message M { string id = 1; google.protobuf.${type} other = 2; }`;
    expect(read(text)).toBe('{"id":"x","other":null}');
  });

  it('may be imported together with all others', () => {
    const names = ['api', 'type', 'source_context', 'descriptor', 'any'];
    const imports = names.map((name) => `import "google/protobuf/${name}.proto";`).join('');
    expect(read(`syntax = "proto3"; ${imports} message M { string id = 1; google.protobuf.Api api = 2; }`)).toBe(
      '{"id":"x","api":null}',
    );
  });
});

describe('a map', () => {
  it('whose entries are messages in the schema, as clients for Java register it, is an object', () => {
    // How apicurio-registry-serdes-protobuf-serde 2.6.13.Final registers `map<string, Grade> grades = 14;`, and an entry
    // that Java wrote. The second entry has neither a key nor a value.
    const text =
      'syntax = "proto3"; message M { repeated .M.GradesEntry grades = 14; ' +
      'message GradesEntry { option map_entry = true; string key = 1; .M.Grade value = 2; } ' +
      'enum Grade { UNKNOWN = 0; GOOD = 1; BEST = 2; } }';
    expect(read(text, [], '72050a017810027200')).toBe('{"grades":{"x":"BEST","":"UNKNOWN"}}');
    expect(read(text, [], '')).toBe('{"grades":{}}');
  });

  it('counts in the message indexes of a descriptor', () => {
    // Registered and written by confluent-kafka-python 2.16.1, which counts the entries of `labels` as message 0:
    // message Outer { map<string, string> labels = 1; message Inner { string id = 1; } Inner inner = 2; }
    const text =
      'Cgd4LnByb3RvEgVvcmRlciKYAQoFT3V0ZXISKAoGbGFiZWxzGAEgAygLMhgub3JkZXIuT3V0ZXIuTGFiZWxzRW50cnkSIQoFaW5uZXIYAiABKA' +
      'syEi5vcmRlci5PdXRlci5Jbm5lchotCgtMYWJlbHNFbnRyeRILCgNrZXkYASABKAkSDQoFdmFsdWUYAiABKAk6AjgBGhMKBUlubmVyEgoKAmlk' +
      'GAEgASgJYgZwcm90bzM=';
    const value = Buffer.from('0400020a0178', 'hex');
    expect(readingText(compileProtobuf(aSchema('PROTOBUF', text))(value))).toBe('{"id":"x"}');
  });
});

/**
 * A file as confluent-kafka-python 2.16.1 registers it, and a value that it wrote. Most registries return this text
 * unchanged. Its source:
 *
 * ```proto
 * syntax = "proto3";
 * package learning.v1;
 * import "google/protobuf/timestamp.proto";
 * import "google/protobuf/descriptor.proto";
 * extend google.protobuf.FieldOptions { string sensitivity = 50001; }
 * message Other { string a = 1; }
 * message Certificate {
 *   string _id = 1 [(sensitivity) = "low"]; string user_id = 2; google.protobuf.Timestamp creation_date = 3;
 *   map<string, int64> counts = 4; Kind kind = 5; optional string note = 6;
 *   oneof choice { string left = 7; int32 right = 8; }
 *   repeated int32 packed = 9; Nested nested = 10; string renamed = 11 [json_name = "newName"];
 *   message Nested { string x = 1; enum Inner { A = 0; B = 1; } Inner inner = 2; }
 * }
 * enum Kind { NONE = 0; SOME = 1; }
 * ```
 */
const described =
  'ChFjZXJ0aWZpY2F0ZS5wcm90bxILbGVhcm5pbmcudjEaH2dvb2dsZS9wcm90b2J1Zi90aW1lc3RhbXAucHJvdG8aIGdvb2dsZS9wcm90b2J1Zi' +
  '9kZXNjcmlwdG9yLnByb3RvIhIKBU90aGVyEgkKAWEYASABKAki8QMKC0NlcnRpZmljYXRlEhQKA19pZBgBIAEoCUIHirUYA2xvdxIPCgd1c2Vy' +
  'X2lkGAIgASgJEjEKDWNyZWF0aW9uX2RhdGUYAyABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wEjQKBmNvdW50cxgEIAMoCzIkLmxlYX' +
  'JuaW5nLnYxLkNlcnRpZmljYXRlLkNvdW50c0VudHJ5Eh8KBGtpbmQYBSABKA4yES5sZWFybmluZy52MS5LaW5kEhEKBG5vdGUYBiABKAlIAYgB' +
  'ARIOCgRsZWZ0GAcgASgJSAASDwoFcmlnaHQYCCABKAVIABIOCgZwYWNrZWQYCSADKAUSLwoGbmVzdGVkGAogASgLMh8ubGVhcm5pbmcudjEuQ2' +
  'VydGlmaWNhdGUuTmVzdGVkEhgKB3JlbmFtZWQYCyABKAlSB25ld05hbWUaLQoLQ291bnRzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIg' +
  'ASgDOgI4ARpgCgZOZXN0ZWQSCQoBeBgBIAEoCRI0CgVpbm5lchgCIAEoDjIlLmxlYXJuaW5nLnYxLkNlcnRpZmljYXRlLk5lc3RlZC5Jbm5lci' +
  'IVCgVJbm5lchIFCgFBEAASBQoBQhABQggKBmNob2ljZUIHCgVfbm90ZSoaCgRLaW5kEggKBE5PTkUQABIICgRTT01FEAE6NAoLc2Vuc2l0aXZp' +
  'dHkSHS5nb29nbGUucHJvdG9idWYuRmllbGRPcHRpb25zGNGGAyABKAliBnByb3RvMw==';
const value = '0a01781201751a0608ddd3d4cd0622050a01611005280132016e3a016c4a02010252050a017910015a0172';

describe('a file in the form of a descriptor', () => {
  it('is read like its source', () => {
    const format = compileProtobuf(aSchema('PROTOBUF', described));
    expect(JSON.parse(readingText(format(Buffer.concat([messageIndexes(1), Buffer.from(value, 'hex')]))))).toEqual({
      _id: 'x',
      userId: 'u',
      creationDate: '2026-03-14T09:26:53.000Z',
      counts: { a: 5 },
      kind: 'SOME',
      note: 'n',
      left: 'l',
      packed: [1, 2],
      nested: { x: 'y', inner: 'B' },
      newName: 'r',
    });
    expect(readingText(format(Buffer.concat([messageIndexes(0), Buffer.from('0a0162', 'hex')])))).toBe('{"a":"b"}');
  });

  it('may refer to one, and be referred to by source', () => {
    const text = `syntax = "proto3"; import "certificate.proto"; message M { string id = 1; learning.v1.Other other = 2; }`;
    const references = [{ name: 'certificate.proto', text: described }];
    expect(read(text, references, '12030a0162')).toBe('{"id":"","other":{"a":"b"}}');
  });

  it.each(['AAAA', 'Zm9v', described.slice(0, 400)])('can not be used when it is cut or none: %s', (text) => {
    expect(compileSchema(aSchema('PROTOBUF', text))(Buffer.of(0)).kind).toBe('undecodable');
  });
});
