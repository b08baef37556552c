import type { RecordRead } from '../kafka/records.ts';
import { asyncApiDocument } from '../../../docs/generate/asyncapi.ts';
import { schemasOf } from './json-schemas.ts';

const document = asyncApiDocument();
const { messages } = document.components;
const schemaProblems = schemasOf(document, 'draft-07');

export type MessageName = keyof typeof messages;
export type Content = Pick<RecordRead, 'key' | 'value' | 'headers'>;

/** Returns what is wrong with a webhook configuration by its schema. */
export function configurationProblems(value: unknown): readonly string[] {
  return schemaProblems('#/components/schemas/WebhookConfiguration', value);
}

/** Returns what is wrong with a record by the description of a message. */
export function recordProblems(name: MessageName, { key, value, headers }: Content): readonly string[] {
  const message = messages[name];
  const at = (part: string): string => `#/components/messages/${name}/${part}`;
  return [
    ...schemaProblems(at('bindings/kafka/key'), key?.toString('utf8') ?? null).map((problem) => `key${problem}`),
    ...headerProblems(name, headers),
    // The value of a record that is no certificate may be anything.
    ...('payload' in message
      ? schemaProblems(at('payload'), value === null ? null : JSON.parse(value.toString('utf8')))
      : []),
  ];
}

function headerProblems(name: MessageName, headers: Content['headers']): readonly string[] {
  const message = messages[name];
  if (!('headers' in message)) return Object.keys(headers).map((header) => `${header} is not described`);
  const { properties } = message.headers;
  const described = new Set(Object.keys(Object(properties)));
  // The dead letter of a record also has the headers of the record.
  const unknown = name === 'deadRecord' ? [] : Object.keys(headers).filter((header) => !described.has(header));
  return [
    ...schemaProblems(`#/components/messages/${name}/headers`, headers),
    ...unknown.map((header) => `${header} is not described`),
  ];
}
