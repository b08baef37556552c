import { extname } from 'node:path';
import { LineCounter, parseDocument, type Document } from 'yaml';

/** The value of a file, or the problem with it. Problems never quote the text, because it holds credentials. */
type ParsedText =
  { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'unparsable'; readonly problem: string };

/** Parses `.json` files as strict JSON, and all others as YAML 1.2. */
export function parseText(path: string, text: string): ParsedText {
  return extname(path) === '.json' ? parseJsonText(text) : parseYamlText(text);
}

/** The YAML parser reads a megabyte in a second, which is too long for a text that is no JSON. */
const maxSearched = 100_000;

function parseJsonText(text: string): ParsedText {
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch (error) {
    // Not every message of the JSON parser contains a line. The YAML parser usually fails at the same place.
    const line = lineNamedBy(error) ?? (text.length > maxSearched ? undefined : readYaml(text, 'json').problem?.line);
    return { kind: 'unparsable', problem: line === undefined ? 'is not JSON' : `is not JSON: line ${line}` };
  }
}

function parseYamlText(text: string): ParsedText {
  const { document, problem } = readYaml(text, 'core');
  if (problem?.code === 'RESOURCE_EXHAUSTION') {
    return { kind: 'unparsable', problem: `is not YAML: line ${problem.line} is nested too deep` };
  }
  if (problem !== undefined) {
    return { kind: 'unparsable', problem: `is not YAML: line ${problem.line}, ${problem.code}` };
  }
  try {
    // YAML allows values that JSON lacks. The round trip leaves plain JSON, and throws on an alias of itself.
    return { kind: 'value', value: JSON.parse(JSON.stringify(document.toJS())) };
  } catch {
    return {
      kind: 'unparsable',
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
