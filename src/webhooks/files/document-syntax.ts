import { extname } from 'node:path';
import { LineCounter, parseDocument, type Document } from 'yaml';

/** What stands in a file, or why it can't be read. Problems say where, and never repeat the text: it holds credentials. */
type ParsedText =
  { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'unparsable'; readonly problem: string };

/** `.json` is strict JSON; any other file is YAML 1.2. */
export function parseText(path: string, text: string): ParsedText {
  return extname(path) === '.json' ? parseJsonText(text) : parseYamlText(text);
}

function parseJsonText(text: string): ParsedText {
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch (error) {
    // Where the JSON parser does not say the line, the YAML parser mostly trips over the same place.
    const line = lineNamedBy(error) ?? readYaml(text, 'json').problem?.line;
    return { kind: 'unparsable', problem: line === undefined ? 'is not JSON' : `is not JSON: line ${line}` };
  }
}

function parseYamlText(text: string): ParsedText {
  const { document, problem } = readYaml(text, 'core');
  if (problem !== undefined) {
    return { kind: 'unparsable', problem: `is not YAML: line ${problem.line}, ${problem.code}` };
  }
  try {
    // YAML has values that JSON has not; going round once leaves plain JSON, and finds an alias that holds itself.
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

/** A warning counts as a problem: a tag that nothing resolves would leave its text, sealed or not, as the value. */
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
