import { closedObject, type JsonSchema } from './json-schema.ts';
import type { Value, ValuesSection } from './values-file.ts';

/** Returns the schema of `values.yaml`. A value's type follows from its default; `@schema` adds other keywords. */
export function valuesSchema(
  sections: readonly ValuesSection[],
  definitions: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const values = sections.flatMap((section) => section.values);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart certificate-webhooks',
    ...closedObject({ ...properties(values), ...parentProperties }),
    definitions,
  };
}

/** The values that a parent chart adds. */
const parentProperties = {
  enabled: { description: 'The condition of a parent chart. It has no effect here.', type: 'boolean' },
  tags: { description: 'A value of a parent chart. It has no effect here.', type: 'object' },
} as const;

function properties(values: readonly Value[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(values.map((value) => [value.name, property(value)]));
}

function property(value: Value): JsonSchema {
  const { description, annotation, members } = value;
  const shape = members.length > 0 ? closedObject(properties(members)) : { type: typeOf(value.default) };
  return { ...(description === '' ? {} : { description }), ...('$ref' in annotation ? {} : shape), ...annotation };
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? 'integer' : typeof value;
}
