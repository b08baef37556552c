import { topic } from '../kinds/kafka-kinds.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  RESULTS_TOPIC: {
    kind: topic,
    description:
      'The topic for [what becomes of deliveries](results.md): a record for each attempt, each deferral and each change of a circuit. When unset, nothing is written.',
  },
} satisfies Variables;

export const resultsVariables = { title: 'Results', variables } satisfies VariableGroup;
