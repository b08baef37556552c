import type { Kind } from './kinds/kind.ts';

/** One environment variable, as data: parsing, the printed settings and the documentation follow from it. */
export interface Variable<T = unknown> {
  readonly kind: Kind<T>;
  /** Read as if it were given. A variable with neither default nor `required` may be left out. */
  readonly default?: string;
  readonly required?: true;
  /** Never printed; can be given as `NAME_FILE` too. */
  readonly secret?: true;
  /** Its value is the path of a file, and the kind is that of the file's content. */
  readonly file?: true;
  /** One or more sentences of Markdown. */
  readonly meaning: string;
}

export type Variables = Readonly<Record<string, Variable>>;

/** Variables that are documented together. */
export interface VariableGroup<V extends Variables = Variables> {
  readonly title: string;
  readonly variables: V;
}

/** What a variable comes to. */
export type ValueOf<V extends Variable> =
  V extends Variable<infer T>
    ? V extends { readonly default: string } | { readonly required: true }
      ? T
      : T | undefined
    : never;

export type ValuesOf<V extends Variables> = { readonly [Name in keyof V]: ValueOf<V[Name]> };
