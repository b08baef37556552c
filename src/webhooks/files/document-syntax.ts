import { extname } from 'node:path';
import { LineCounter, parseDocument, visit, type Document } from 'yaml';
import { parseExact } from '../../lib/strict-json.ts';

/** The value of a file, or the problem with it. Problems never quote the text, because it holds credentials. */
type ParsedText =
  { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'unusable'; readonly problem: string };

/** Strict JSON, one JSON value a line (the configurations of a list), or YAML 1.2. */
type Syntax = 'json' | 'json lines' | 'yaml';

const syntaxByExtension: ReadonlyMap<string, Syntax> = new Map([
  ['.json', 'json'],
  ['.jsonl', 'json lines'],
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
]);

/** Returns the syntax that the extension names. Without a known one, the text decides. */
export function syntaxOf(path: string, text: string): Syntax {
  const named = syntaxByExtension.get(extname(path));
  if (named !== undefined) return named;
  if (isJson(text)) return 'json';
  const [firstLine = ''] = text.trimStart().split('\n', 1);
  return isJson(firstLine) ? 'json lines' : 'yaml';
}

/** The lines that npm prints before a script runs. They are in a file that keeps the output of `npm start`. */
const npmBanner = /^\s*> \S+@\S+ \S+\n> /;

/** Parses the text of a file in the syntax of {@link syntaxOf}. */
export function parseText(path: string, text: string): ParsedText {
  if (npmBanner.test(text)) {
    const problem =
      'begins with lines of npm: delete those with > at their start, and run commands with npx node src/main.ts';
    return { kind: 'unusable', problem };
  }
  switch (syntaxOf(path, text)) {
    case 'json':
      return parseJsonText(text);
    case 'json lines':
      return parseJsonLines(text);
    case 'yaml':
      return parseYamlText(text);
  }
}

/** Returns the value of a parsable text. Numbers keep their digits when it is written as JSON. */
export function exactValue(path: string, text: string): unknown {
  switch (syntaxOf(path, text)) {
    case 'json':
      return parseExact(text);
    case 'json lines':
      return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : parseExact(line)));
    case 'yaml': {
      const { document } = readYaml(text, 'core');
      visit(document, {
        Scalar(_key, scalar) {
          const { value, source = '' } = scalar;
          if (typeof value === 'number' && jsonNumber.test(source)) scalar.value = JSON.rawJSON(source);
        },
      });
      return document.toJS();
    }
  }
}

/** YAML also has other numbers, such as `0x1F`, which stay as they were read. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The YAML parser reads a megabyte in a second, which is too long for a text that is no JSON. */
const maxSearched = 100_000;

function parseJsonText(text: string): ParsedText {
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch (error) {
    // Not every message of the JSON parser contains a line. The YAML parser usually fails at the same place.
    const line = lineNamedBy(error) ?? (text.length > maxSearched ? undefined : readYaml(text, 'json').problem?.line);
    return { kind: 'unusable', problem: line === undefined ? 'is not JSON' : `is not JSON: line ${line}` };
  }
}

/** Splits at line feeds alone, because a JSON text may hold other line breaks of Unicode. Skips blank lines. */
function parseJsonLines(text: string): ParsedText {
  const value: unknown[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      value.push(JSON.parse(line));
    } catch {
      return { kind: 'unusable', problem: `is not JSON: line ${index + 1}` };
    }
  }
  return { kind: 'value', value };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseYamlText(text: string): ParsedText {
  const { document, problem } = readYaml(text, 'core');
  if (problem?.code === 'RESOURCE_EXHAUSTION') {
    return { kind: 'unusable', problem: `is not YAML: line ${problem.line} is nested too deep` };
  }
  if (problem !== undefined) {
    return { kind: 'unusable', problem: `is not YAML: line ${problem.line}, ${problem.code}` };
  }
  try {
    // YAML allows values that JSON lacks. The round trip leaves plain JSON, and throws on an alias of itself.
    return { kind: 'value', value: JSON.parse(JSON.stringify(document.toJS())) };
  } catch {
    return {
      kind: 'unusable',
      problem: 'is not YAML: an alias that has no anchor or holds itself, or too many aliases',
    };
  }
}

interface YamlProblem {
  readonly code: string;
  readonly line: number;
}

/** Parses YAML. Warnings count as problems: an unresolved tag, such as `!vault`, would leave raw text as the value. */
function readYaml(
  text: string,
  schema: 'core' | 'json',
): { readonly document: Document; readonly problem: YamlProblem | undefined } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { schema, lineCounter, prettyErrors: false, logLevel: 'error' });
  const [first] = [...document.errors, ...document.warnings];
  const problem = first && { code: first.code, line: lineCounter.linePos(first.pos[0]).line };
  return { document, problem };
}

function lineNamedBy(error: unknown): number | undefined {
  const line = error instanceof SyntaxError ? /\(line (\d+) column \d+\)$/.exec(error.message)?.[1] : undefined;
  return line === undefined ? undefined : Number(line);
}
