import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

/** Returns what is wrong with a value by the schema at a JSON pointer, such as `#/components/schemas/Certificate`. */
export type SchemaProblems = (pointer: string, value: unknown) => readonly string[];

const dialects = { 'draft-07': Ajv, '2020-12': Ajv2020 } as const;

/** Compiles the schemas of a document as they are used. */
export function schemasOf(document: object, dialect: keyof typeof dialects): SchemaProblems {
  // The document itself is no schema, so its keywords are unknown ones.
  const ajv = new dialects[dialect]({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, value) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document${pointer}` });
    compiled.set(pointer, validate);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
