import type { FileContents } from './files.ts';
import { givenOf, textIn, type Environment, type Given } from './source.ts';
import { quote, type Problem } from './problem.ts';
import type { Variable } from './variable.ts';
import { fileNameOf, variableEntries, type Values, type VariableName } from './variables.ts';

/** Every variable read by itself; how they stand to each other is not judged yet. */
export interface Reading {
  /** A variable that is neither given nor has a default is not there, nor is one with a problem. */
  readonly values: Partial<Values>;
  readonly problems: readonly Problem[];
  /** Whether the environment says something about the variable, right or wrong. */
  readonly isGiven: (name: VariableName) => boolean;
  /** The path of the file that its value comes from. */
  readonly fileOf: (name: VariableName) => string | undefined;
}

export function readVariables(environment: Environment, files: FileContents): Reading {
  const given = new Map(variableEntries.map(([name, variable]) => [name, givenOf(name, variable, environment)]));
  const results = variableEntries.map(([name, variable]) => readVariable(name, variable, given.get(name), files));
  const values = results.flatMap((result) => (result.kind === 'value' ? [[result.name, result.value] as const] : []));
  return {
    // Each value is its variable's own kind's, which is what `Values` says of it.
    values: Object.fromEntries<unknown>(values),
    problems: results.flatMap((result) => (result.kind === 'problem' ? [result.problem] : [])),
    isGiven: (name) => {
      const found = given.get(name)?.kind;
      return found !== undefined && found !== 'nothing' && found !== 'default';
    },
    fileOf: (name) => {
      const found = given.get(name);
      return found?.kind === 'file' ? found.path : undefined;
    },
  };
}

/** Whether only what may be left out is missing. */
export function isComplete(values: Partial<Values>): values is Values {
  const names = new Set(Object.keys(values));
  return variableEntries.every(
    ([name, variable]) => names.has(name) || (variable.required !== true && variable.default === undefined),
  );
}

type Result =
  | { readonly kind: 'value'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'problem'; readonly problem: Problem };

function readVariable(name: string, variable: Variable, given: Given | undefined, files: FileContents): Result {
  switch (given?.kind) {
    case undefined:
    case 'nothing':
      return variable.required === true ? problem(name, undefined, variable.kind.expected) : { kind: 'nothing' };
    case 'twice':
      return problem(name, '[secret]', `to be left out, or ${fileNameOf(name)} to be, but not both given`);
    case 'default':
    case 'text':
      return parse(name, variable, given.text);
    case 'file':
      return parseFile(name, variable, given, files);
  }
}

function parse(name: string, { kind, secret }: Variable, text: string): Result {
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
  { path, namedBy }: Extract<Given, { readonly kind: 'file' }>,
  files: FileContents,
): Result {
  const text = textIn(files, path, variable);
  if (typeof text !== 'string') return problem(namedBy, quote(path), `a file that can be read (${text.reason})`);
  const parsed = variable.kind.parse(text);
  if (parsed.kind === 'value') return { kind: 'value', name, value: parsed.value };
  const holds = variable.file === true ? '' : 'the path of a file that holds ';
  return problem(namedBy, quote(path), `${holds}${parsed.expected ?? variable.kind.expected}`);
}

function problem(variable: string, given: string | undefined, expected: string): Result {
  return { kind: 'problem', problem: { variable, given, expected } };
}
