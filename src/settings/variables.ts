import type { ValuesOf, Variable } from './variable.ts';
import { certificateVariables } from './variables/certificates.ts';
import { circuitVariables } from './variables/circuit.ts';
import { deliveryVariables } from './variables/delivery.ts';
import { egressVariables } from './variables/egress.ts';
import { handoffVariables } from './variables/handoff.ts';
import { intakeVariables } from './variables/intake.ts';
import { kafkaVariables } from './variables/kafka.ts';
import { processVariables } from './variables/process.ts';
import { webhookVariables } from './variables/webhooks.ts';

/** In the order in which they are documented and printed. */
export const variableGroups = [
  kafkaVariables,
  certificateVariables,
  webhookVariables,
  intakeVariables,
  handoffVariables,
  deliveryVariables,
  egressVariables,
  circuitVariables,
  processVariables,
] as const;

/** Every variable there is. */
export const variables = {
  ...kafkaVariables.variables,
  ...certificateVariables.variables,
  ...webhookVariables.variables,
  ...intakeVariables.variables,
  ...handoffVariables.variables,
  ...deliveryVariables.variables,
  ...egressVariables.variables,
  ...circuitVariables.variables,
  ...processVariables.variables,
};

export type VariableName = keyof typeof variables;

/** What the environment comes to, by variable. */
export type Values = ValuesOf<typeof variables>;

export const variableEntries: readonly (readonly [name: string, variable: Variable])[] = Object.entries(variables);

/** The names that may be given, `NAME_FILE` of secrets included. */
export const knownNames: readonly string[] = variableEntries.flatMap(([name, { secret }]) =>
  secret === true ? [name, fileNameOf(name)] : [name],
);

/** The variable that names the file which holds a secret. */
export function fileNameOf(secretName: string): string {
  return `${secretName}_FILE`;
}
