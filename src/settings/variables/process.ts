import { duration, oneOf, wholeNumber } from '../kinds/kind.ts';
import { host } from '../kinds/network-kinds.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  HTTP_HOST: {
    kind: host,
    default: '0.0.0.0',
    meaning: 'The address that the status page `/`, `/metrics`, `/livez`, `/readyz` and `/endpoints` are served on.',
  },
  HTTP_PORT: {
    kind: wholeNumber({ min: 0, max: 65_535 }),
    default: '8080',
    meaning: 'Their port. 0 takes any that is free.',
  },
  LOG_LEVEL: {
    kind: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    meaning: 'The least severe lines that are logged.',
  },
  SHUTDOWN_GRACE: {
    kind: duration({ min: 5_000, max: 3_600_000 }),
    default: '25s',
    meaning: 'The time to drain on SIGTERM. The grace period of the pod has to be longer.',
  },
} satisfies Variables;

export const processVariables = { title: 'Process', variables } satisfies VariableGroup;
