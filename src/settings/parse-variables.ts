import type { FileContents } from './files.ts';
import { quote, type Problem } from './problem.ts';
import { sourceOf, textIn, type Environment, type ValueSource } from './source.ts';
import type { Variable } from './variable.ts';
import { fileNameOf, variableEntries, type Values, type VariableName } from './variables.ts';

/** Every variable, parsed by itself. The folder `checks` compares them with each other. */
export interface ParsedVariables {
  /** Contains neither unset variables without a default nor variables with a problem. */
  readonly values: Partial<Values>;
  readonly problems: readonly Problem[];
  /** Returns true if the environment sets the variable, to a valid or an invalid value. */
  readonly isSet: (name: VariableName) => boolean;
  /** Returns the path of the file that the value comes from. */
  readonly fileOf: (name: VariableName) => string | undefined;
}

export function parseVariables(environment: Environment, files: FileContents): ParsedVariables {
  const sources = new Map(variableEntries.map(([name, variable]) => [name, sourceOf(name, variable, environment)]));
  const results = variableEntries.map(([name, variable]) => parseVariable(name, variable, sources.get(name), files));
  const values = results.flatMap((result) => (result.kind === 'value' ? [[result.name, result.value] as const] : []));
  return {
    // Each value has the type of its variable's kind, which is the type that `Values` declares.
    values: Object.fromEntries<unknown>(values),
    problems: results.flatMap((result) => (result.kind === 'problem' ? [result.problem] : [])),
    isSet: (name) => {
      const kind = sources.get(name)?.kind;
      return kind !== undefined && kind !== 'unset' && kind !== 'default';
    },
    fileOf: (name) => {
      const source = sources.get(name);
      return source?.kind === 'file' ? source.path : undefined;
    },
  };
}

/** Returns true if every missing value is optional. */
export function isComplete(values: Partial<Values>): values is Values {
  const names = new Set(Object.keys(values));
  return variableEntries.every(
    ([name, variable]) => names.has(name) || (variable.required !== true && variable.default === undefined),
  );
}

type Result =
  | { readonly kind: 'value'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'unset' }
  | { readonly kind: 'problem'; readonly problem: Problem };

function parseVariable(name: string, variable: Variable, source: ValueSource | undefined, files: FileContents): Result {
  switch (source?.kind) {
    case undefined:
    case 'unset':
      return variable.required === true ? problem(name, undefined, variable.kind.expected) : { kind: 'unset' };
    case 'ambiguous':
      return problem(name, '[secret]', `only one of ${name} and ${fileNameOf(name)} to be set`);
    case 'default':
    case 'text':
      return parseText(name, variable, source.text);
    case 'file':
      return parseFile(name, variable, source, files);
  }
}

function parseText(name: string, { kind, secret }: Variable, text: string): Result {
  const parsed = kind.parse(text);
  if (parsed.kind === 'value') return { kind: 'value', name, value: parsed.value };
  const { part, expected = kind.expected } = parsed;
  const whole = quote(text);
  const shown = part === undefined || quote(part) === whole ? whole : `${whole}, with ${quote(part)} in it`;
  return problem(name, secret === true ? '[secret]' : shown, expected);
}

function parseFile(
  name: string,
  variable: Variable,
  { path, namedBy }: Extract<ValueSource, { readonly kind: 'file' }>,
  files: FileContents,
): Result {
  const text = textIn(files, path, variable);
  if (typeof text !== 'string') return problem(namedBy, quote(path), `a file that can be read (${text.reason})`);
  const parsed = variable.kind.parse(text);
  if (parsed.kind === 'value') return { kind: 'value', name, value: parsed.value };
  const prefix = variable.file === true ? '' : 'the path of a file with ';
  return problem(namedBy, quote(path), `${prefix}${parsed.expected ?? variable.kind.expected}`);
}

function problem(variable: string, found: string | undefined, expected: string): Result {
  return { kind: 'problem', problem: { variable, found, expected } };
}
