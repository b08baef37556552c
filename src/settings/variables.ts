import type { ValuesOf, Variable, VariableGroup } from './variable.ts';
import { certificateVariables } from './variables/certificates-variables.ts';
import { circuitVariables } from './variables/circuit-variables.ts';
import { deliveryVariables } from './variables/delivery-variables.ts';
import { egressVariables } from './variables/egress-variables.ts';
import { handoffVariables } from './variables/handoff-variables.ts';
import { intakeVariables } from './variables/intake-variables.ts';
import { kafkaVariables } from './variables/kafka-variables.ts';
import { processVariables } from './variables/process-variables.ts';
import { resultsVariables } from './variables/results-variables.ts';
import { webhookVariables } from './variables/webhooks-variables.ts';

/** All groups, in the order of the documentation. */
export const variableGroups = [
  { title: 'Kafka', variables: kafkaVariables },
  { title: 'Certificates', variables: certificateVariables },
  { title: 'Webhook configurations', variables: webhookVariables },
  { title: 'Intake', variables: intakeVariables },
  { title: 'Retries and dead letters', variables: handoffVariables },
  { title: 'Results', variables: resultsVariables },
  { title: 'Delivery', variables: deliveryVariables },
  { title: 'Egress', variables: egressVariables },
  { title: 'Circuit', variables: circuitVariables },
  { title: 'Process', variables: processVariables },
] as const satisfies readonly VariableGroup[];

/** All variables, by name. */
export const variables = {
  ...kafkaVariables,
  ...certificateVariables,
  ...webhookVariables,
  ...intakeVariables,
  ...handoffVariables,
  ...resultsVariables,
  ...deliveryVariables,
  ...egressVariables,
  ...circuitVariables,
  ...processVariables,
};

export type VariableName = keyof typeof variables;

/** The parsed value of each variable. */
export type Values = ValuesOf<typeof variables>;

export const variableEntries: readonly (readonly [name: string, variable: Variable])[] = Object.entries(variables);

/** All valid names, including `NAME_FILE` for secrets. */
export const knownNames: readonly string[] = variableEntries.flatMap(([name, { secret }]) =>
  secret === true ? [name, fileNameOf(name)] : [name],
);

/** Returns the variable that holds the path of a secret's file. */
export function fileNameOf(secretName: string): string {
  return `${secretName}_FILE`;
}
