import { authorities } from '../kinds/file-kinds.ts';
import { topic, topicPrefix } from '../kinds/kafka-kinds.ts';
import { ascending, duration, listOf, oneOf, wholeNumber } from '../kinds/kind.ts';
import { headerName, headerValue, host, hostAndPort, network, portRange, proxyUrl } from '../kinds/network-kinds.ts';
import { setting } from '../variable.ts';

const deliveriesFirst = {
  expected: 'beginning with `deliveries`',
  holds: (item: string, before: readonly string[]) =>
    (item === 'deliveries') === (before.length === 0) && !before.includes(item),
};

export const deliveryVariables = {
  'Retries and dead letters': {
    RETRY_TOPIC_PREFIX: setting('retry.topicPrefix', topicPrefix, { default: 'certificate-webhooks.retry' }).says(
      'The prefix of the retry topics. A retry topic is named `PREFIX.DELAY`, with the delay in its largest whole unit: the topic for `600s` is `certificate-webhooks.retry.10m`. Every topic with such a name is read, configured or not.',
    ),
    RETRY_DELAYS: setting('retry.delaysMs', listOf(duration({ min: 1, max: 14 * 24 * 3_600_000 }), ascending), {
      default: '10s,1m,10m,1h,6h,24h,36h',
    }).says(
      'The delays of the retry tiers: the time that a delivery waits after its first, second, … failed attempt. There is one attempt more than there are delays. The topic of the last one may be missing for a time: the one before it is used then.',
    ),
    DEAD_LETTER_TOPIC: setting('deadLetters.topic', topic, { default: 'certificate-webhooks.dead-letter' }).says(
      'The topic for deliveries that have finally failed, and for records that are not certificates.',
    ),
    HANDOFF_COMPRESSION: setting('handoff.compression', oneOf(['none', 'gzip', 'snappy', 'lz4', 'zstd']), {
      default: 'none',
    }).says(
      'The compression of records written to the retry topics and the dead-letter topic. Every listed compression can be read.',
    ),
  },
  Results: {
    RESULTS_TOPIC: setting('results.topic', topic).says(
      'The topic for [what becomes of deliveries](results.md): a record for each attempt, each deferral and each change of a circuit. When unset, nothing is written.',
    ),
    RESULTS_INCLUDE: setting('results.include', listOf(oneOf(['deliveries', 'records']), deliveriesFirst), {
      default: 'deliveries',
    }).says(
      'What is written there: `deliveries`, or `deliveries,records` for [records that led to no delivery](results.md#records-that-led-to-no-delivery), too. The latter needs `RESULTS_TOPIC`.',
    ),
  },
  Delivery: {
    DELIVERY_TIMEOUT: setting('delivery.timeoutMs', duration({ min: 100, max: 600_000 }), { default: '15s' }).says(
      'The deadline for DNS, connect, TLS, request and response head together. It also limits the time in a waiting room. It must be at least 5 s less than `SHUTDOWN_GRACE`.',
    ),
    DELIVERY_CONNECT_TIMEOUT: setting('delivery.connectTimeoutMs', duration({ min: 50, max: 300_000 }), {
      default: '5s',
    }).says('The deadline for DNS, connect and TLS together. It must be less than `DELIVERY_TIMEOUT`.'),
    DELIVERY_MAX_IN_FLIGHT: setting('delivery.maxInFlight', wholeNumber({ min: 4, max: 50_000 }), {
      default: '512',
    }).says(
      'The maximum of requests in flight for the whole process. A quarter is only for retries, three quarters are only for first attempts.',
    ),
    DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: setting(
      'delivery.maxInFlightPerEndpoint',
      wholeNumber({ min: 1, max: 10_000 }),
      { default: '16' },
    ).says(
      'The maximum of requests in flight to one webhook, per process. It shrinks in proportion to the capacity that other endpoints leave, but never below 1. The last quarter of the capacity is kept for endpoints with no request in flight. At most `DELIVERY_MAX_IN_FLIGHT`. A configuration with a higher `limits.inFlight` is refused.',
    ),
    DELIVERY_MAX_WAITING_PER_ENDPOINT: setting(
      'delivery.maxWaitingPerEndpoint',
      wholeNumber({ min: 1, max: 1_000_000 }),
      { default: '256' },
    ).says(
      "The size of an endpoint's waiting room. If the endpoint fails or is late, deliveries that do not fit wait in a retry topic; otherwise their partition waits. At most `INTAKE_MAX_RECORDS`.",
    ),
    DELIVERY_MAX_IDLE_CONNECTIONS: setting('delivery.maxIdleConnections', wholeNumber({ min: 0, max: 1_000_000 }), {
      default: '2048',
    }).says(
      'The maximum of idle connections kept open, for the whole process. The least recently used is closed first.',
    ),
    DELIVERY_MAX_AGE: setting('delivery.maxAgeMs', duration({ min: 1_000, max: 90 * 24 * 3_600_000 }), {
      default: '72h',
    }).says(
      'The maximum age of a delivery since it was planned. A delivery that is due later, or read from a retry topic later, is dead-lettered. The retention of the retry topics must be longer.',
    ),
    DELIVERY_USER_AGENT: setting('delivery.userAgent', headerValue, { default: 'certificate-webhooks' }).says(
      'The value of the `User-Agent` header, unless a webhook has a header of that name. Firewalls refuse requests without it.',
    ),
    DELIVERY_EVENT_TYPE_HEADER: setting('delivery.eventTypeHeader', headerName).says(
      'The name of a header with the event type. If unset, no such header is sent.',
    ),
    DELIVERY_ID_HEADER: setting('delivery.idHeader', headerName).says(
      "The name of a header with the delivery's id, which is the same on every attempt. If unset, no such header is sent.",
    ),
  },
  Egress: {
    DELIVERY_ALLOWED_PORTS: setting('egress.allowedPorts', listOf(portRange), { default: '443' }).says(
      'The ports that a webhook URL may have.',
    ),
    DELIVERY_ALLOWED_NETWORKS: setting('egress.allowedNetworks', listOf(network)).says(
      'Private networks that webhooks may reach. The IPv4 address inside an IPv6 address of NAT64 is checked by the rules for IPv4.',
    ),
    DELIVERY_DENIED_NETWORKS: setting('egress.deniedNetworks', listOf(network)).says(
      'Networks that webhooks may not reach, although they are public or in `DELIVERY_ALLOWED_NETWORKS`: such as the ranges of services inside a cloud.',
    ),
    DELIVERY_CA_FILE: setting('egress.certificateAuthorities', authorities, { file: true }).says(
      "Certificate authorities to trust for subscribers' endpoints, in addition to the public ones.",
    ),
    DELIVERY_PROXY_URL: setting('egress.proxyUrl', proxyUrl, { secret: true }).says(
      'An egress proxy. The service opens tunnels through it with `CONNECT`, and the proxy resolves names. The service then checks only ports and literal addresses: the proxy must enforce everything else.',
    ),
  },
  Circuit: {
    CIRCUIT_FAILURES: setting('circuit.failures', wholeNumber({ min: 1, max: 100_000 }), { default: '10' }).says(
      "The number of failures in a row that open an endpoint's circuit. While it is open, deliveries wait in the retry topics.",
    ),
    CIRCUIT_COOLDOWN: setting('circuit.cooldownMs', duration({ min: 10, max: 3_600_000 }), { default: '30s' }).says(
      'The time that a circuit stays open before one delivery probes the endpoint. Each failed probe doubles it, up to 20 times the setting.',
    ),
  },
  Process: {
    HTTP_HOST: setting('http.host', host, { default: '::' }).says(
      'The address to listen on for the status page `/`, `/metrics`, `/livez`, `/readyz` and `/endpoints`. `::` listens on IPv4 and IPv6, or on IPv4 alone where the machine has no IPv6.',
    ),
    HTTP_PORT: setting('http.port', wholeNumber({ min: 0, max: 65_535 }), { default: '8080' }).says(
      'The port to listen on. 0 uses any free port.',
    ),
    ENDPOINTS_OF: setting('endpointsOf', hostAndPort).says(
      'Where the command `endpoints` asks all instances: a host name that resolves to the addresses of all of them, and their `HTTP_PORT`. The chart names its Service.',
    ),
    LOG_LEVEL: setting('log.level', oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), {
      default: 'info',
    }).says('The lowest level that is logged.'),
    LOG_DELIVERIES: setting('log.deliveries', oneOf(['all', 'failed']), { default: 'all' }).says(
      'Which attempts have a line `delivery.attempted`: `all`, or those that did not end in a 2xx.',
    ),
    SHUTDOWN_GRACE: setting('shutdown.graceMs', duration({ min: 5_000, max: 3_600_000 }), { default: '25s' }).says(
      'The time to drain after SIGTERM. The grace period of the pod must be longer.',
    ),
  },
};
