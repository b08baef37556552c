import { duration, wholeNumber } from '../kinds/kind.ts';
import { headerName, headerValue } from '../kinds/network-kinds.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  DELIVERY_TIMEOUT: {
    kind: duration({ min: 100, max: 600_000 }),
    default: '15s',
    meaning:
      'One deadline over DNS, connect, TLS, request and response head. Also the longest stay in a waiting room. With 5 s on top it has to fit into `SHUTDOWN_GRACE`.',
  },
  DELIVERY_CONNECT_TIMEOUT: {
    kind: duration({ min: 50, max: 300_000 }),
    default: '5s',
    meaning: 'The part of it that DNS, connect and TLS may take. Less than `DELIVERY_TIMEOUT`.',
  },
  DELIVERY_MAX_IN_FLIGHT: {
    kind: wholeNumber({ min: 4, max: 50_000 }),
    default: '512',
    meaning: 'Requests at once of the whole process: a quarter for retries only, the rest for first attempts only.',
  },
  DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: {
    kind: wholeNumber({ min: 1, max: 10_000 }),
    default: '16',
    meaning:
      'Requests at once to one webhook, per process. Shrinks in step with the capacity left, never below 1; of the last quarter an endpoint gets none that has a request out. At most `DELIVERY_MAX_IN_FLIGHT`.',
  },
  DELIVERY_MAX_WAITING_PER_ENDPOINT: {
    kind: wholeNumber({ min: 1, max: 1_000_000 }),
    default: '256',
    meaning: "The size of an endpoint's waiting room; what does not fit waits in a tier. At most `INTAKE_MAX_RECORDS`.",
  },
  DELIVERY_MAX_IDLE_CONNECTIONS: {
    kind: wholeNumber({ min: 0, max: 1_000_000 }),
    default: '2048',
    meaning: 'Connections kept alive, of the whole process. The least recently used is closed first.',
  },
  DELIVERY_MAX_AGE: {
    kind: duration({ min: 1_000, max: 90 * 24 * 3_600_000 }),
    default: '72h',
    meaning:
      'How long after it was planned a delivery may still be attempted. One that is due later is dead-lettered. Tiers keep their records for longer than this.',
  },
  DELIVERY_USER_AGENT: {
    kind: headerValue,
    meaning: 'The value of a `User-Agent` header. Unset, none is sent.',
  },
  DELIVERY_EVENT_TYPE_HEADER: {
    kind: headerName,
    meaning: 'The name of a header that tells the event type. Unset, none is sent.',
  },
  DELIVERY_ID_HEADER: {
    kind: headerName,
    meaning:
      "The name of a header that tells the delivery's id, which is the same on every attempt. Unset, none is sent.",
  },
} satisfies Variables;

export const deliveryVariables = { title: 'Delivery', variables } satisfies VariableGroup;
