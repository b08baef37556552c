import type { Document } from '../builders.ts';
import { readText } from '../files/sources.ts';

/** Returns the schemas published for producers. */
export function publishedSchemas(): { readonly avsc: string; readonly proto: string; readonly jsonSchema: string } {
  return {
    avsc: readText('docs/schemas/certificate.avsc'),
    proto: readText('docs/schemas/certificate.proto'),
    jsonSchema: readText('docs/schemas/certificate.schema.json'),
  };
}

/** Converts a certificate to the input of the Avro encoder. */
export function asAvro(document: Document): Document {
  const ruleData = Object(document['ruleData']);
  return {
    __v: null,
    ...withDates(document, (date) => date.getTime()),
    ruleData: { description: null, ...ruleData },
  };
}

/** Converts a certificate to the input of the Protobuf encoder, which uses names in camel case. */
export function asProtobuf(document: Document): Document {
  const { _id, _userId, _ownerId, _badgeId, _lessonActiveIds, __v, ...others } = withDates(document, (date) => ({
    seconds: Math.floor(date.getTime() / 1000),
    nanos: (date.getTime() % 1000) * 1_000_000,
  }));
  const renamed = { id: _id, userId: _userId, ownerId: _ownerId, badgeId: _badgeId, lessonActiveIds: _lessonActiveIds };
  return { ...renamed, ...others, ...(__v === undefined ? {} : { version: __v }) };
}

const dates: ReadonlySet<string> = new Set(['creationDate', 'expires', 'createdAt', 'updatedAt']);

function withDates(document: Document, write: (date: Date) => unknown): Document {
  const entries = Object.entries(document).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'string' && dates.has(name) ? write(new Date(value)) : value,
    ]),
  );
}
