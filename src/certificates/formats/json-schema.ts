import { Ajv, type AnySchema, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseStrictJson } from '../../lib/strict-json.ts';
import type { Format, SchemaDocument } from './format.ts';

/** JSON by a JSON Schema, of draft 6 or later. Throws when the schema can't be used. */
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

/** By its path in the schema: one in the value may be made of its keys. */
function brokenRule(validate: ValidateFunction, value: unknown): string | undefined {
  try {
    return validate(value) ? undefined : (validate.errors?.[0]?.schemaPath ?? '');
  } catch (error) {
    // A schema may refer to itself, and a value go on for as long as the stack.
    if (error instanceof RangeError) return 'it is nested too deeply';
    throw error;
  }
}

/** What a schema says beyond its draft is left to whom it is meant for; formats are notes, as the drafts have it. */
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

/** Its validator is chosen by then, and may know the draft by another spelling. Draft 7 has only added to draft 6. */
function withoutDraft(schema: AnySchema): AnySchema {
  if (typeof schema === 'boolean' || !knownDrafts.test(String(schema.$schema))) return schema;
  const { $schema: _draft, ...rest } = schema;
  return rest;
}

/** References are by name, and a relative one is relative to who refers. */
function absolute(name: string, schema: AnySchema): string {
  const base = typeof schema === 'boolean' ? undefined : schema.$id;
  return typeof base === 'string' ? (URL.parse(name, base)?.href ?? name) : name;
}
