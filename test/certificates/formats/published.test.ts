import avro from 'avsc';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/certificates/formats/compile.ts';
import { createFramedCodec } from '../../../src/certificates/framed.ts';
import { validateRecord } from '../../../src/certificates/certificate-schema.ts';
import { aCertificateDocument, json, type Document } from '../../support/builders.ts';
import { messageIndexes } from '../../support/registry/framed.ts';
import { asAvro, asProtobuf, publishedSchemas } from '../../support/registry/published.ts';
import { aSchema } from '../../support/registry/schemas.ts';

const { avsc, proto, jsonSchema } = publishedSchemas();

/** What becomes of a certificate that was written by the published schemas, with encoders that are not ours. */
const formats: Readonly<Record<string, (document: Document) => Buffer>> = {
  AVRO: (document) =>
    avro.Type.forSchema(JSON.parse(avsc) as avro.Schema, { wrapUnions: false }).toBuffer(asAvro(document)),
  PROTOBUF: (document) => {
    const { root } = protobuf.parse(proto);
    root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')?.nested ?? {});
    const type = root.lookupType('certificates.Certificate');
    const message = type.encode(type.fromObject(asProtobuf(document))).finish();
    return Buffer.concat([messageIndexes(0), message]);
  },
  JSON: json,
};
const texts: Readonly<Record<string, string>> = { AVRO: avsc, PROTOBUF: proto, JSON: jsonSchema };

function rendered(type: string, document: Document): string {
  const read = compileSchema({ ...aSchema(type, ''), text: texts[type] ?? '' });
  const payload = formats[type]?.(document) ?? Buffer.alloc(0);
  const parsed = createFramedCodec({ whenReadable: () => undefined, read })(payload);
  if (parsed.kind === 'undecodable') return parsed.message;
  expect(validateRecord(parsed.document)).toMatchObject({ kind: 'valid', missingFields: [] });
  return parsed.body.toString('utf8');
}

describe.each(Object.keys(formats))('the published schema for %s', (type) => {
  it('says all that a certificate says', () => {
    const document = aCertificateDocument();
    expect(rendered(type, document)).toBe(JSON.stringify(document));
  });

  it('can say that it does not expire, and leave out what the contract lets be absent', () => {
    const { description: _description, ...ruleData } = Object(aCertificateDocument()['ruleData']);
    const document = aCertificateDocument({ expires: null, __v: undefined, ruleData });
    expect(rendered(type, document)).toBe(JSON.stringify(document));
  });
});
