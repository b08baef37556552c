import type { FileContents } from './files.ts';
import type { Variable } from './variable.ts';
import { fileNameOf, variableEntries } from './variables.ts';

/** The variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the text of a variable is. */
export type Given =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'default'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** `namedBy`: the variable that holds the path, which for a secret is `NAME_FILE`. */
  | { readonly kind: 'file'; readonly path: string; readonly namedBy: string }
  /** A secret that is given by its own name and by `NAME_FILE`. */
  | { readonly kind: 'twice' };

export function givenOf(name: string, variable: Variable, environment: Environment): Given {
  if (variable.secret === true) return givenSecret(name, environment);
  const text = environment[name]?.trim() ?? '';
  if (text !== '') return variable.file === true ? { kind: 'file', path: text, namedBy: name } : { kind: 'text', text };
  return variable.default === undefined ? { kind: 'nothing' } : { kind: 'default', text: variable.default };
}

/** The files that the environment names, of which the settings can't be told without their content. */
export function namedFiles(environment: Environment): readonly string[] {
  return variableEntries.flatMap(([name, variable]) => {
    const given = givenOf(name, variable, environment);
    return given.kind === 'file' ? [given.path] : [];
  });
}

/** What a file holds for a variable. A secret is all of it but one newline at the end, which editors put there. */
export function textIn(files: FileContents, path: string, variable: Variable): string | { readonly reason: string } {
  const content = files.get(path) ?? { kind: 'unreadable', reason: 'it was not read' };
  if (content.kind === 'unreadable') return { reason: content.reason };
  return variable.secret === true ? withoutNewline(content.text) : content.text;
}

export function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** Not trimmed: spaces may belong to a password. */
function givenSecret(name: string, environment: Environment): Given {
  const text = environment[name] ?? '';
  const namedBy = fileNameOf(name);
  const path = environment[namedBy]?.trim() ?? '';
  if (text === '') return path === '' ? { kind: 'nothing' } : { kind: 'file', path, namedBy };
  return path === '' ? { kind: 'text', text } : { kind: 'twice' };
}
