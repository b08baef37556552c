import avro from 'avsc';
import protobuf from 'protobufjs';
import { z } from 'zod';
import type { Document } from '../builders.ts';
import { readText } from '../files/sources.ts';

/**
 * Writes a record of the results topic by each published schema with a library's encoder, and reads it back. Throws if the
 * schema does not allow it. The result lacks what the schema does not know.
 */
export const resultFormats: Readonly<Record<'AVRO' | 'PROTOBUF' | 'JSON', (result: Document) => Document>> = {
  AVRO: (result) => {
    const type = avro.Type.forSchema(JSON.parse(readText('docs/schemas/result.avsc')) as avro.Schema, {
      wrapUnions: false,
    });
    const fields = { ...result, ...changed(result, dates, (text) => Date.parse(String(text))) };
    const bytes = type.toBuffer(type.clone(fields, { skipMissingFields: true }));
    return withoutNulls(Object(type.fromBuffer(bytes)), (time) => new Date(Number(time)));
  },
  PROTOBUF: (result) => {
    const { root } = protobuf.parse(readText('docs/schemas/result.proto'));
    root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')?.nested ?? {});
    const type = root.lookupType('certificates.Result');
    const fields = { ...result, ...changed(result, dates, (text) => timestampOf(Date.parse(String(text)))) };
    const message = type.decode(type.encode(type.fromObject(fields)).finish());
    return withoutNulls(type.toObject(message, { longs: Number }), (time) => new Date(epochMs(Object(time))));
  },
  JSON: (result) => {
    z.fromJSONSchema(JSON.parse(readText('docs/schemas/result.schema.json')) as z.core.JSONSchema.JSONSchema).parse(
      result,
    );
    return result;
  },
};

const dates = ['at', 'dueAt', 'since', 'validUntil'] as const;

function changed(result: Document, names: readonly string[], change: (value: unknown) => unknown): Document {
  const present = names.filter((name) => result[name] !== undefined && result[name] !== null);
  return Object.fromEntries(present.map((name) => [name, change(result[name])]));
}

function withoutNulls(read: Document, toDate: (time: unknown) => Date): Document {
  const entries = Object.entries(read).filter(([, value]) => value !== null);
  const result = Object.fromEntries(entries);
  return { ...result, ...changed(result, dates, (time) => toDate(time).toISOString()) };
}

function timestampOf(ms: number): Document {
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };
}

function epochMs({ seconds = 0, nanos = 0 }: { readonly seconds?: number; readonly nanos?: number }): number {
  return seconds * 1000 + nanos / 1_000_000;
}
