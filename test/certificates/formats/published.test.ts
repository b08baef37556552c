import avro from 'avsc';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../../src/certificates/decoder.ts';
import { compileSchema } from '../../../src/certificates/formats/compile.ts';
import { aCertificateDocument, aRecord, json, type Document } from '../../support/builders.ts';
import { framed, messageIndexes } from '../../support/registry/framed.ts';
import { asAvro, asProtobuf, publishedSchemas } from '../../support/registry/published.ts';
import { aSchema } from '../../support/registry/schemas.ts';

const { avsc, proto, jsonSchema } = publishedSchemas();

/** Encodes a certificate by a published schema, with a library's encoder. */
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
  const { decode } = createDecoder({
    eventTypeByTopic: new Map(),
    framed: { whenReadable: () => undefined, read: () => read(payload) },
  });
  const decoded = decode(aRecord({ value: framed(1, payload) }), 0);
  if (decoded.kind !== 'certificate') return JSON.stringify(decoded);
  expect(decoded.certificate.missingFields).toEqual([]);
  return decoded.certificate.body.toString('utf8');
}

describe.each(Object.keys(formats))('the published schema for %s', (type) => {
  it('represents a complete certificate', () => {
    const document = aCertificateDocument();
    expect(rendered(type, document)).toBe(JSON.stringify(document));
  });

  it('represents a certificate that does not expire and lacks the optional fields', () => {
    const { description: _description, ...ruleData } = Object(aCertificateDocument()['ruleData']);
    const document = aCertificateDocument({ expires: null, __v: undefined, ruleData });
    expect(rendered(type, document)).toBe(JSON.stringify(document));
  });
});
