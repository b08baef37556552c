import { authorities, certificates } from '../../src/settings/kinds/file-kinds.ts';
import type { Variable } from '../../src/settings/variable.ts';
import { fileNameOf, variableEntries } from '../../src/settings/variables.ts';
import { closedObject, type JsonSchema } from './json-schema.ts';
import { settingShape } from './setting-shape.ts';

/** Returns the schema definitions of settings, to be referenced. */
export function settingsDefinitions(): Readonly<Record<string, JsonSchema>> {
  const outside = variableEntries.filter(([name, variable]) => mayBeOutside(name, variable));
  return {
    settings: closedObject(Object.fromEntries(variableEntries.flatMap(settingProperties))),
    settingsFrom: closedObject(
      Object.fromEntries(
        outside.map(([name, variable]) => [name, { description: variable.description, $ref: sourceOf(variable) }]),
      ),
    ),
    outsideSetting: { enum: outside.map(([name]) => name) },
    secretSource: source({ secret: filled }, ['secret', 'key']),
    source: source({ secret: filled, configMap: filled }, ['key']),
    certificatesSource: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: { secret: filled, configMap: filled, key: filled, content: filled },
    },
  };
}

/** Returns true if the setting may be in a Secret or ConfigMap. Kafka operators publish some values in them too. */
function mayBeOutside(name: string, { secret, file }: Variable): boolean {
  const published = ['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL'];
  return secret === true || file === true || name.endsWith('_USERNAME') || published.includes(name);
}

const filled: JsonSchema = { type: 'string', minLength: 1 };

/** Accepts null, which removes the source that other values set. */
function source(from: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { ...closedObject({ ...from, key: filled }), type: ['object', 'null'], required };
}

/** Allows ConfigMaps for certificates, because they are public. Keys and passwords need a Secret. */
function sourceOf(variable: Variable): string {
  if (variable.file === true) return `#/definitions/${isPublic(variable) ? 'certificatesSource' : 'secretSource'}`;
  return `#/definitions/${variable.secret === true ? 'secretSource' : 'source'}`;
}

function isPublic({ kind }: Variable): boolean {
  return kind === certificates || kind === authorities;
}

/** Accepts a secret: the templates refuse it, with a message that says where to put it. */
function settingProperties([name, variable]: readonly [string, Variable]): readonly (readonly [string, JsonSchema])[] {
  if (variable.secret !== true) {
    return [[name, { description: describe(variable), ...settingShape(variable) }]];
  }
  return [
    [name, { description: 'Do not set it here, because it is a secret. Use existingSecret or settingsFrom.' }],
    [
      fileNameOf(name),
      { description: `The path of a file that contains ${name}, if you mount one yourself.`, type: pathTypes },
    ],
  ];
}

const pathTypes = ['string', 'null'];

function describe(variable: Variable): string {
  const { description, kind, required } = variable;
  const takes = `Takes ${variable.file === true ? 'the path of ' : ''}${kind.expected}.`;
  if (required === true) return `${description} ${takes} Required.`;
  return variable.default === undefined
    ? `${description} ${takes}`
    : `${description} ${takes} Default: \`${variable.default}\`.`;
}
