import { duration, wholeNumber } from '../kinds/kind.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  CIRCUIT_FAILURES: {
    kind: wholeNumber({ min: 1, max: 100_000 }),
    default: '10',
    meaning: "How many failures in a row open an endpoint's circuit. While it is open, deliveries wait in the tiers.",
  },
  CIRCUIT_COOLDOWN: {
    kind: duration({ min: 10, max: 3_600_000 }),
    default: '30s',
    meaning: 'How long it stays open before one delivery probes it. Doubled by each failed probe, up to 20-fold.',
  },
} satisfies Variables;

export const circuitVariables = { title: 'Circuit', variables } satisfies VariableGroup;
