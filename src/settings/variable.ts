import type { Kind } from './kinds/kind.ts';

/** One environment variable, described by data. Parsing, printing and documentation are derived from it. */
export interface Variable<T = unknown> {
  readonly kind: Kind<T>;
  /** Used if the variable is unset. A variable with neither `default` nor `required` is optional. */
  readonly default?: string;
  readonly required?: true;
  /** Never printed. Can also be set as `NAME_FILE`. */
  readonly secret?: true;
  /** The value is the path of a file. `kind` parses the content of the file. */
  readonly file?: true;
  /** One or more sentences, in Markdown. */
  readonly description: string;
}

export type Variables = Readonly<Record<string, Variable>>;

/** Variables that share a heading in the documentation. */
export interface VariableGroup<V extends Variables = Variables> {
  readonly title: string;
  readonly variables: V;
}

/** The type of a variable's parsed value. */
type ValueOf<V extends Variable> =
  V extends Variable<infer T>
    ? V extends { readonly default: string } | { readonly required: true }
      ? T
      : T | undefined
    : never;

export type ValuesOf<V extends Variables> = { readonly [Name in keyof V]: ValueOf<V[Name]> };
