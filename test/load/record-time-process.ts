import avro from 'avsc';
import protobuf from 'protobufjs';
import { compileSchema } from '../../src/certificates/formats/compile.ts';
import { renderCertificate } from '../../src/certificates/render.ts';
import { aCertificateDocument } from '../support/builders.ts';
import { messageIndexes } from '../support/registry/framed.ts';
import { asAvro, asProtobuf, publishedSchemas } from '../support/registry/published.ts';
import { aSchema } from '../support/registry/schemas.ts';
import { costAgainst } from '../support/time/processor-time.ts';

const records = 20_000;
const { avsc, proto } = publishedSchemas();
const document = aCertificateDocument();

/** The dates of the peer, which `JSON.stringify` writes in the form of the contract. */
class Timestamp extends avro.types.LogicalType {
  protected override _fromValue(value: number): Date {
    return new Date(value);
  }

  protected override _toValue(date: unknown): unknown {
    return date instanceof Date ? date.getTime() : undefined;
  }
}

/** Returns the ratio for Avro, whose peer writes the same JSON. */
function ratioOfAvro(): number {
  const schema = JSON.parse(avsc) as avro.Schema;
  const bytes = avro.Type.forSchema(schema, { wrapUnions: false }).toBuffer(asAvro(document));
  const options = { wrapUnions: false, logicalTypes: { 'timestamp-millis': Timestamp } };
  const type = avro.Type.forSchema(schema, options);
  return ratio(() => JSON.stringify(type.fromBuffer(bytes)), rendering('AVRO', schema, bytes));
}

function ratioOfProtobuf(): number {
  const { root } = protobuf.parse(proto);
  root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')?.nested ?? {});
  const type = root.lookupType('certificates.Certificate');
  const bytes = type.encode(type.fromObject(asProtobuf(document))).finish();
  const options = { longs: String, enums: String, bytes: String, defaults: true };
  const peer = (): string => JSON.stringify(type.toObject(type.decode(bytes), options));
  return ratio(peer, rendering('PROTOBUF', proto, Buffer.concat([messageIndexes(0), bytes])));
}

function rendering(type: string, schema: unknown, payload: Buffer): () => Buffer {
  const read = compileSchema(aSchema(type, schema));
  return () => {
    const reading = read(payload);
    return renderCertificate(reading.kind === 'plain' ? reading.value : null).bytes;
  };
}

/** Returns how many times as long one of them takes as the other, once both are compiled. */
function ratio(control: () => unknown, act: () => unknown): number {
  const [controls, acts] = [control, act].map((call) => () => {
    for (let left = records; left > 0; left -= 1) call();
  });
  if (controls === undefined || acts === undefined) return Number.NaN;
  costAgainst(controls, acts);
  return costAgainst(controls, acts);
}

process.stdout.write(JSON.stringify({ avro: ratioOfAvro(), protobuf: ratioOfProtobuf() }));
