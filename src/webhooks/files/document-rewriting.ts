import { isDeepStrictEqual } from 'node:util';
import { parseDocument as parseYaml } from 'yaml';
import type { ReadText } from './configuration-files.ts';
import { exactValue, syntaxOf } from './document-syntax.ts';

/** A new text for one field of one configuration. */
export interface Replacement {
  /** The configuration's position in its file, counted from 1. */
  readonly position: number;
  readonly field: string;
  readonly text: string;
}

/** Replaces fields in the text of a parsable file. YAML keeps its comments, and JSON its indentation. */
export function rewriteText(path: string, text: string, replacements: readonly Replacement[]): ReadText {
  if (replacements.length === 0) return { kind: 'text', text };
  const expected = replaceIn(exactValue(path, text), replacements);
  const rewritten = write(path, text, { expected, replacements });
  // With YAML aliases, replacing a field of one configuration may change another one.
  return rewritten !== undefined && isDeepStrictEqual(exactValue(path, rewritten), expected)
    ? { kind: 'text', text: rewritten }
    : { kind: 'unusable', problem: "can't be rewritten: it may use aliases where credentials stand" };
}

/** Applies the replacements to the parsed value: a single configuration or a list of them. */
function replaceIn(value: unknown, replacements: readonly Replacement[]): unknown {
  if (!Array.isArray(value)) return withFields(value, replacements);
  return value.map((configuration: unknown, index) =>
    withFields(
      configuration,
      replacements.filter(({ position }) => position === index + 1),
    ),
  );
}

function withFields(configuration: unknown, replacements: readonly Replacement[]): unknown {
  if (typeof configuration !== 'object') return configuration;
  return { ...configuration, ...Object.fromEntries(replacements.map(({ field, text }) => [field, text])) };
}

interface Rewriting {
  readonly expected: unknown;
  readonly replacements: readonly Replacement[];
}

function write(path: string, text: string, { expected, replacements }: Rewriting): string | undefined {
  switch (syntaxOf(path, text)) {
    case 'json':
      return writeJson(text, expected);
    case 'json lines':
      return Array.isArray(expected) ? expected.map((value) => `${JSON.stringify(value)}\n`).join('') : undefined;
    case 'yaml':
      return writeYaml(text, replacements);
  }
}

function writeJson(text: string, value: unknown): string {
  const indentation = /\n([ \t]+)/.exec(text)?.[1] ?? (text.trimEnd().includes('\n') ? 2 : 0);
  return `${JSON.stringify(value, null, indentation)}\n`;
}

function writeYaml(text: string, replacements: readonly Replacement[]): string | undefined {
  // All scalars are text, so that numbers keep their digits.
  const document = parseYaml(text, { schema: 'failsafe' });
  const isList = Array.isArray(document.toJS());
  try {
    for (const { position, field, text: replacement } of replacements) {
      document.setIn(isList ? [position - 1, field] : [field], replacement);
    }
    // No line folding, so that sealed text can be copied as one line.
    return document.toString({ lineWidth: 0 });
  } catch {
    return undefined;
  }
}
