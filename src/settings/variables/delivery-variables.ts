import { duration, wholeNumber } from '../kinds/kind.ts';
import { headerName, headerValue } from '../kinds/network-kinds.ts';
import type { Variables } from '../variable.ts';

export const deliveryVariables = {
  DELIVERY_TIMEOUT: {
    kind: duration({ min: 100, max: 600_000 }),
    default: '15s',
    description:
      'The deadline for DNS, connect, TLS, request and response head together. It also limits the time in a waiting room. It must be at least 5 s less than `SHUTDOWN_GRACE`.',
  },
  DELIVERY_CONNECT_TIMEOUT: {
    kind: duration({ min: 50, max: 300_000 }),
    default: '5s',
    description: 'The deadline for DNS, connect and TLS together. It must be less than `DELIVERY_TIMEOUT`.',
  },
  DELIVERY_MAX_IN_FLIGHT: {
    kind: wholeNumber({ min: 4, max: 50_000 }),
    default: '512',
    description:
      'The maximum of requests in flight for the whole process. A quarter is only for retries, three quarters are only for first attempts.',
  },
  DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: {
    kind: wholeNumber({ min: 1, max: 10_000 }),
    default: '16',
    description:
      'The maximum of requests in flight to one webhook, per process. It shrinks in proportion to the capacity that other endpoints leave, but never below 1. The last quarter of the capacity is kept for endpoints with no request in flight. At most `DELIVERY_MAX_IN_FLIGHT`. A configuration with a higher `limits.inFlight` is refused.',
  },
  DELIVERY_MAX_WAITING_PER_ENDPOINT: {
    kind: wholeNumber({ min: 1, max: 1_000_000 }),
    default: '256',
    description:
      "The size of an endpoint's waiting room. If the endpoint fails or is late, deliveries that do not fit wait in a retry topic; otherwise their partition waits. At most `INTAKE_MAX_RECORDS`.",
  },
  DELIVERY_MAX_IDLE_CONNECTIONS: {
    kind: wholeNumber({ min: 0, max: 1_000_000 }),
    default: '2048',
    description:
      'The maximum of idle connections kept open, for the whole process. The least recently used is closed first.',
  },
  DELIVERY_MAX_AGE: {
    kind: duration({ min: 1_000, max: 90 * 24 * 3_600_000 }),
    default: '72h',
    description:
      'The maximum age of a delivery since it was planned. A delivery that is due later is dead-lettered. The retention of the retry topics must be longer.',
  },
  DELIVERY_USER_AGENT: {
    kind: headerValue,
    description: 'The value of the `User-Agent` header. If unset, no such header is sent.',
  },
  DELIVERY_EVENT_TYPE_HEADER: {
    kind: headerName,
    description: 'The name of a header with the event type. If unset, no such header is sent.',
  },
  DELIVERY_ID_HEADER: {
    kind: headerName,
    description:
      "The name of a header with the delivery's id, which is the same on every attempt. If unset, no such header is sent.",
  },
} satisfies Variables;
