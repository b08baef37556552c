import { sourceOf, type Environment, type FileSource, type ValueSource } from './environment.ts';
import { textFor, type FileContents } from './files.ts';
import type { FileValue, Variable } from './variable.ts';
import { fileNameOf, variableEntries, type Values, type VariableName } from './variables.ts';

/** Every variable, parsed by itself. `rules.ts` compares them with each other. */
export interface ParsedVariables {
  /** Contains neither unset variables without a default nor variables with a problem. */
  readonly values: Partial<Values>;
  readonly problems: readonly Problem[];
  /** Returns true if the environment sets the variable, to a valid or an invalid value. */
  readonly isSet: (name: VariableName) => boolean;
}

export function parseVariables(environment: Environment, files: FileContents): ParsedVariables {
  const values: (readonly [name: string, value: unknown])[] = [];
  const problems: Problem[] = [];
  const setNames = new Set<string>();
  for (const [name, variable] of variableEntries) {
    const source = sourceOf(name, variable, environment);
    if (source.kind !== 'unset' && source.kind !== 'default') setNames.add(name);
    const { value, problem } = parseVariable(name, variable, source, files);
    if (value !== undefined) values.push([name, value]);
    if (problem !== undefined) problems.push(problem);
  }
  // Each value has the type of its variable's kind, which is the type that `Values` declares.
  return { values: Object.fromEntries<unknown>(values), problems, isSet: (name) => setNames.has(name) };
}

/** An optional variable that is unset has neither. */
interface Result {
  readonly value?: unknown;
  readonly problem?: Problem;
}

function parseVariable(name: string, variable: Variable, source: ValueSource, files: FileContents): Result {
  switch (source.kind) {
    case 'unset':
      return variable.required === true ? wrong(name, undefined, variable.kind.expected) : {};
    case 'ambiguous':
      return wrong(name, '[secret]', `only one of ${name} and ${fileNameOf(name)} to be set`);
    case 'default':
    case 'text':
      return parseText(name, variable, source.text);
    case 'file':
      return parseFile(source, files);
  }
}

function parseText(name: string, variable: Variable, text: string): Result {
  const { kind, secret } = variable;
  const parsed = kind.parse(text);
  if (parsed.kind === 'value') {
    const { value } = parsed;
    if (secret !== true) return { value };
    return { value: { value, file: undefined, namedBy: fileNameOf(name), variable } satisfies FileValue<unknown> };
  }
  const { part, expected = kind.expected } = parsed;
  const whole = quote(text);
  const shown = part === undefined || quote(part) === whole ? whole : `${whole}, with ${quote(part)} in it`;
  return wrong(name, secret === true ? '[secret]' : shown, expected);
}

function parseFile({ path, namedBy, variable }: FileSource, files: FileContents): Result {
  const content = files.get(namedBy) ?? { kind: 'unreadable', reason: 'it was not read' };
  if (content.kind === 'unreadable') return wrong(namedBy, quote(path), `a file that can be read (${content.reason})`);
  const parsed = variable.kind.parse(textFor(variable, content.text));
  if (parsed.kind === 'value') {
    return { value: { value: parsed.value, file: path, namedBy, variable } satisfies FileValue<unknown> };
  }
  const prefix = variable.file === true ? '' : 'the path of a file with ';
  return wrong(namedBy, quote(path), `${prefix}${parsed.expected ?? variable.kind.expected}`);
}

function wrong(variable: string, found: string | undefined, expected: string): Result {
  return { problem: { variable, found, expected } };
}

/** One reason why the settings cannot be used: the variable, the value found, and the value expected. */
export interface Problem {
  readonly variable: string;
  /** The value as it may be printed, such as `"x"` or `[secret]`. Undefined if the variable is not set. */
  readonly found: string | undefined;
  /** Completes "expected …", in Markdown. */
  readonly expected: string;
}

/** Characters that `quote` shows of a value. Longer values would make the line unreadable. */
const longestQuote = 200;

export function describeProblem({ variable, found, expected }: Problem): string {
  const state = found === undefined ? 'is not set' : `is ${found}`;
  return `${variable} ${state}: expected ${expected.replaceAll('`', '')}`;
}

/**
 * Quotes a value for printing, on one line and of bounded length. Everything before an `@` is hidden: a URL in the
 * wrong variable has its credentials there.
 */
export function quote(text: string): string {
  const open = text.slice(text.lastIndexOf('@') + 1);
  const shown = open.length === text.length ? text : `[secret]@${open}`;
  return JSON.stringify(shown.length > longestQuote ? `${shown.slice(0, longestQuote)}…` : shown);
}
