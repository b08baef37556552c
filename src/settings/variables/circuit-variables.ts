import { duration, wholeNumber } from '../kinds/kind.ts';
import type { Variables } from '../variable.ts';

export const circuitVariables = {
  CIRCUIT_FAILURES: {
    kind: wholeNumber({ min: 1, max: 100_000 }),
    default: '10',
    description:
      "The number of failures in a row that open an endpoint's circuit. While it is open, deliveries wait in the retry topics.",
  },
  CIRCUIT_COOLDOWN: {
    kind: duration({ min: 10, max: 3_600_000 }),
    default: '30s',
    description:
      'The time that a circuit stays open before one delivery probes the endpoint. Each failed probe doubles it, up to 20 times the setting.',
  },
} satisfies Variables;
