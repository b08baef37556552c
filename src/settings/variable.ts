import type { Secret } from '../lib/secret.ts';
import type { Kind } from './kinds/kind.ts';

/** One environment variable, described by data. Its parsing, its place in `Settings` and its documentation derive from it. */
export interface Variable<T = unknown> extends VariableTraits {
  /** The path in `Settings`, such as `delivery.timeoutMs`. */
  readonly at: string;
  readonly kind: Kind<T>;
  /** One or more sentences, in Markdown. */
  readonly description: string;
}

interface VariableTraits {
  /** Used if the variable is unset. A variable with neither `default` nor `required` is optional. */
  readonly default?: string;
  readonly required?: true;
  /** Never printed. Can also be set as `NAME_FILE`. */
  readonly secret?: true;
  /** The value is the path of a file. `kind` parses the content of the file. */
  readonly file?: true;
}

/** Creates a variable together with `says`, which takes its description. */
export function setting<T, At extends string, Traits extends VariableTraits>(
  at: At,
  kind: Kind<T>,
  traits?: Traits,
): { readonly says: (description: string) => Variable<T> & { readonly at: At } & Traits } {
  return { says: (description: string) => Object.assign({ at, kind, description }, traits) };
}

/** A value that may have been read from a file. `readAgain` reads it from there again, by the same rules. */
export interface FileValue<T> {
  readonly value: T;
  /** The path. Undefined for a secret that the environment contains. */
  readonly file: string | undefined;
  /** The name of the variable that holds the path. */
  readonly namedBy: string;
  readonly variable: Variable<T>;
}

export type SecretSetting = FileValue<Secret>;

export type ValueOf<V extends Variable> =
  V extends Variable<infer T>
    ? | (V extends { readonly secret: true } | { readonly file: true } ? FileValue<T> : T)
      | (V extends { readonly default: string } | { readonly required: true } ? never : undefined)
    : never;
