import type { ValueOf, Variable } from './variable.ts';
import { deliveryVariables } from './variables/deliveries.ts';
import { inputVariables } from './variables/inputs.ts';

/**
 * All variables, by section and in the order of the documentation. `Settings`, `check-config`, the configuration page and
 * the chart's schema derive from this table, so a new setting is one entry. `rules.ts` has the rules between variables.
 */
export const variableTable = { ...inputVariables, ...deliveryVariables };

type Section = (typeof variableTable)[keyof typeof variableTable];
type KeyOf<T> = T extends unknown ? keyof T : never;
export type VariableName = KeyOf<Section>;
type VariableOf<Name extends VariableName> = Extract<Section, Readonly<Record<Name, Variable>>>[Name];

export type Values = { readonly [Name in VariableName]: ValueOf<VariableOf<Name>> };

export type ValuesByPath = { readonly [Name in VariableName as VariableOf<Name>['at']]: Values[Name] };

type VariableEntry = readonly [name: string, variable: Variable];

/** Variables that share a heading in the documentation. */
export const variableGroups: readonly { readonly title: string; readonly variables: readonly VariableEntry[] }[] =
  Object.entries<Readonly<Record<string, Variable>>>(variableTable).map(([title, section]) => ({
    title,
    variables: Object.entries(section),
  }));

export const variableEntries: readonly VariableEntry[] = variableGroups.flatMap(({ variables }) => variables);

/** All valid names, including `NAME_FILE` for secrets. */
export const knownNames: readonly string[] = variableEntries.flatMap(([name, { secret }]) =>
  secret === true ? [name, fileNameOf(name)] : [name],
);

export function fileNameOf(secretName: string): string {
  return `${secretName}_FILE`;
}
