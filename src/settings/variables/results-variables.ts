import { topic } from '../kinds/kafka-kinds.ts';
import type { Variables } from '../variable.ts';

export const resultsVariables = {
  RESULTS_TOPIC: {
    kind: topic,
    description:
      'The topic for [what becomes of deliveries](results.md): a record for each attempt, each deferral and each change of a circuit. When unset, nothing is written.',
  },
} satisfies Variables;
