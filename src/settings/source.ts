import type { FileContents } from './files.ts';
import type { Variable } from './variable.ts';
import { fileNameOf, variableEntries } from './variables.ts';

/** The environment variables of a process, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The place that the text of a variable comes from. */
export type ValueSource =
  | { readonly kind: 'unset' }
  | { readonly kind: 'default'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** `namedBy` is the variable that holds the path. For a secret it is `NAME_FILE`. */
  | { readonly kind: 'file'; readonly path: string; readonly namedBy: string }
  /** A secret that is set both by its own name and by `NAME_FILE`. */
  | { readonly kind: 'ambiguous' };

export function sourceOf(name: string, variable: Variable, environment: Environment): ValueSource {
  if (variable.secret === true) return secretSource(name, environment);
  const text = environment[name]?.trim() ?? '';
  if (text !== '') return variable.file === true ? { kind: 'file', path: text, namedBy: name } : { kind: 'text', text };
  return variable.default === undefined ? { kind: 'unset' } : { kind: 'default', text: variable.default };
}

/** Returns the paths of all files that the environment names. The settings depend on their content. */
export function namedFiles(environment: Environment): readonly string[] {
  return variableEntries.flatMap(([name, variable]) => {
    const source = sourceOf(name, variable, environment);
    return source.kind === 'file' ? [source.path] : [];
  });
}

/** Returns the text that a file holds for a variable, or the reason why there is none. */
export function textIn(files: FileContents, path: string, variable: Variable): string | { readonly reason: string } {
  const content = files.get(path) ?? { kind: 'unreadable', reason: 'it was not read' };
  if (content.kind === 'unreadable') return { reason: content.reason };
  return variable.secret === true ? withoutNewline(content.text) : content.text;
}

/** Drops one newline at the end of a secret, because editors add it. */
export function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** Does not trim the text: spaces may belong to a password. */
function secretSource(name: string, environment: Environment): ValueSource {
  const text = environment[name] ?? '';
  const namedBy = fileNameOf(name);
  const path = environment[namedBy]?.trim() ?? '';
  if (text === '') return path === '' ? { kind: 'unset' } : { kind: 'file', path, namedBy };
  return path === '' ? { kind: 'text', text } : { kind: 'ambiguous' };
}
