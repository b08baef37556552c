import { fileNameOf, variableEntries, variableGroups } from './variables.ts';
import type { Variable } from './variable.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type ValueSource =
  | { readonly kind: 'unset' }
  | { readonly kind: 'default'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** `namedBy` is the variable that holds the path. For a secret it is `NAME_FILE`. */
  | { readonly kind: 'file'; readonly path: string; readonly namedBy: string; readonly variable: Variable }
  /** A secret that is set both by its own name and by `NAME_FILE`. */
  | { readonly kind: 'ambiguous' };

export type FileSource = Extract<ValueSource, { readonly kind: 'file' }>;

export function sourceOf(name: string, variable: Variable, environment: Environment): ValueSource {
  if (variable.secret === true) return secretSource(name, variable, environment);
  const text = environment[name]?.trim() ?? '';
  if (text !== '')
    return variable.file === true ? { kind: 'file', path: text, namedBy: name, variable } : { kind: 'text', text };
  return variable.default === undefined ? { kind: 'unset' } : { kind: 'default', text: variable.default };
}

/** Does not trim the text: spaces may belong to a password. */
function secretSource(name: string, variable: Variable, environment: Environment): ValueSource {
  const text = environment[name] ?? '';
  const namedBy = fileNameOf(name);
  const path = environment[namedBy]?.trim() ?? '';
  if (text === '') return path === '' ? { kind: 'unset' } : { kind: 'file', path, namedBy, variable };
  return path === '' ? { kind: 'text', text } : { kind: 'ambiguous' };
}

/** Returns all files that the environment names. The settings depend on their content. */
export function namedFiles(environment: Environment): readonly FileSource[] {
  return variableEntries.flatMap(([name, variable]) => {
    const source = sourceOf(name, variable, environment);
    return source.kind === 'file' ? [source] : [];
  });
}

/** The variables of a section with the values in use, ready to be printed. It contains no secret. */
export interface EffectiveGroup {
  readonly title: string;
  readonly settings: readonly {
    readonly name: string;
    readonly value: string;
    readonly origin: 'default' | 'set' | 'unset';
  }[];
}

/** Returns every setting of a valid environment, in the order of the documentation. */
export function effectiveSettings(environment: Environment): readonly EffectiveGroup[] {
  return variableGroups.map(({ title, variables }) => ({
    title,
    settings: variables.map(([name, variable]) => ({
      name,
      ...shown(variable, sourceOf(name, variable, environment)),
    })),
  }));
}

function shown({ secret }: Variable, source: ValueSource): Omit<EffectiveGroup['settings'][number], 'name'> {
  switch (source.kind) {
    case 'unset':
      return { origin: 'unset', value: '-' };
    case 'default':
      return { origin: 'default', value: source.text };
    case 'text':
      return { origin: 'set', value: secret === true ? '[secret]' : source.text };
    case 'file':
      return { origin: 'set', value: secret === true ? `[secret] in ${source.path}` : source.path };
    case 'ambiguous':
      return { origin: 'set', value: '[secret]' };
  }
}
