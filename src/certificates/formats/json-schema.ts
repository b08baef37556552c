import { Ajv, type AnySchema, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseStrictJson } from '../../lib/strict-json.ts';
import type { Format, SchemaDocument } from './format.ts';

/** Compiles a validator of JSON for a JSON Schema of draft 6 or later. Throws when the schema can't be used. */
export function compileJsonSchema(schema: SchemaDocument): Format {
  const validate = compile(schema);
  return (payload) => {
    const parsed = parseStrictJson(payload);
    if (parsed.kind === 'other') return { kind: 'undecodable', message: `the value ${parsed.problem}` };
    const rule = brokenRule(validate, parsed.value);
    if (rule === undefined) return { kind: 'json', document: parsed.value, bytes: payload };
    return { kind: 'undecodable', message: `the value contradicts its JSON schema: ${rule}` };
  };
}

/** Returns the path of the violated rule in the schema. A path in the value could quote its keys. */
function brokenRule(validate: ValidateFunction, value: unknown): string | undefined {
  try {
    return validate(value) ? undefined : (validate.errors?.[0]?.schemaPath ?? '');
  } catch (error) {
    // A recursive schema and a deeply nested value may overflow the stack.
    if (error instanceof RangeError) return 'it is nested too deeply';
    throw error;
  }
}

/** Unknown keywords are ignored. Formats are annotations only, as the drafts specify. */
const options: Options = { strict: false, validateFormats: false, logger: false };

function compile({ text, references }: SchemaDocument): ValidateFunction {
  const schema: unknown = JSON.parse(text);
  if (!isSchema(schema)) throw new TypeError('a schema is an object, true or false');
  const validator = validatorOf(schema);
  for (const reference of references) {
    const referred: unknown = JSON.parse(reference.text);
    if (isSchema(referred)) validator.addSchema(withoutDraft(referred), absolute(reference.name, schema));
  }
  return validator.compile(withoutDraft(schema));
}

const knownDrafts = /draft-0[67]|2019-09|2020-12/;

function isSchema(value: unknown): value is AnySchema {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

function validatorOf(schema: AnySchema): Ajv {
  const draft = String(typeof schema === 'boolean' ? '' : schema.$schema);
  if (draft.includes('2020-12')) return new Ajv2020(options);
  return draft.includes('2019-09') ? new Ajv2019(options) : new Ajv(options);
}

/**
 * Removes `$schema`, because the validator is already chosen and may know the draft by another spelling. A draft 6 schema is
 * valid in draft 7, which only added keywords.
 */
function withoutDraft(schema: AnySchema): AnySchema {
  if (typeof schema === 'boolean' || !knownDrafts.test(String(schema.$schema))) return schema;
  const { $schema: _draft, ...keywords } = schema;
  return keywords;
}

/** Resolves the name of a reference. A relative name is relative to the schema that refers to it. */
function absolute(name: string, schema: AnySchema): string {
  const base = typeof schema === 'boolean' ? undefined : schema.$id;
  return typeof base === 'string' ? (URL.parse(name, base)?.href ?? name) : name;
}
