import { duration, oneOf, wholeNumber } from '../kinds/kind.ts';
import { host, hostAndPort } from '../kinds/network-kinds.ts';
import type { Variables } from '../variable.ts';

export const processVariables = {
  HTTP_HOST: {
    kind: host,
    default: '::',
    description:
      'The address to listen on for the status page `/`, `/metrics`, `/livez`, `/readyz` and `/endpoints`. `::` listens on IPv4 and IPv6, or on IPv4 alone where the machine has no IPv6.',
  },
  HTTP_PORT: {
    kind: wholeNumber({ min: 0, max: 65_535 }),
    default: '8080',
    description: 'The port to listen on. 0 uses any free port.',
  },
  ENDPOINTS_OF: {
    kind: hostAndPort,
    description:
      'Where the command `endpoints` asks all instances: a host name that resolves to the addresses of all of them, and their `HTTP_PORT`. The chart names its Service.',
  },
  LOG_LEVEL: {
    kind: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    description: 'The lowest level that is logged.',
  },
  LOG_DELIVERIES: {
    kind: oneOf(['all', 'failed']),
    default: 'all',
    description: 'Which attempts have a line `delivery.attempted`: `all`, or those that did not end in a 2xx.',
  },
  SHUTDOWN_GRACE: {
    kind: duration({ min: 5_000, max: 3_600_000 }),
    default: '25s',
    description: 'The time to drain after SIGTERM. The grace period of the pod must be longer.',
  },
} satisfies Variables;
