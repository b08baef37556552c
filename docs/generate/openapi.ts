import packageJson from '../../package.json' with { type: 'json' };
import { eventTypes, type EventType } from '../../src/certificates/certificate.ts';
import type { Settlement } from '../../src/deliveries/settle.ts';
import type { Authentication } from '../../src/webhooks/webhook.ts';
import { aCertificateDocument } from '../../test/support/builders.ts';
import { defaultOf } from '../../test/support/service/default-settings.ts';
import { publishedSchema } from './published-schema.ts';

/** The path from the root of the checkout. */
export const openApiPath = 'docs/openapi.yaml';

/** Returns the OpenAPI document of the request that the service sends to a subscriber's endpoint. */
export function openApiDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Certificate webhooks',
      version: packageJson.version,
      summary: "The request that the service sends to a subscriber's endpoint.",
      description,
    },
    tags: [{ name: 'webhooks', description: "Requests to a subscriber's endpoint." }],
    security: [{}, ...Object.keys(securitySchemes).map((name) => ({ [name]: [] }))],
    webhooks: Object.fromEntries(eventTypes.map((event) => [event, { post: operation(event) }])),
    components: {
      securitySchemes,
      parameters,
      requestBodies: { Certificate: requestBody },
      responses,
      headers: { RetryAfter: retryAfter },
      schemas: { Certificate: publishedSchema('certificate'), Received: received, Failure: failure },
    },
  };
}

const delays = defaultOf('RETRY_DELAYS').split(',');

const description = `The service sends a \`POST\` to the URL of each webhook configuration of the owner: any path and query, over HTTPS with TLS 1.2
or 1.3, in HTTP/1.1. The page for subscribers explains all of it: subscribers.md, beside this file. All numbers
are defaults, which the operator can change.

- **Authentication.** A configuration has one of the methods below, or none. There is no signature.
- **Other headers.** Each entry of \`customHeaders\` of the configuration is sent too. The operator can turn on a header with the
  event type and one with the delivery's id (\`DELIVERY_EVENT_TYPE_HEADER\`, \`DELIVERY_ID_HEADER\`), and chooses their names.
  A custom header of the same name replaces these and \`User-Agent\`.
- **Answers.** Every status but 2xx is a failure, and so is no response head within ${defaultOf('DELIVERY_TIMEOUT')} from the DNS lookup on.
- **Retries.** A failed delivery is attempted again after ${delays.join(', ')}, at most ${delays.length + 1} times in all. Then it is a dead letter
  (\`exhausted\`). So is one whose next attempt is due at an age of more than ${defaultOf('DELIVERY_MAX_AGE')} (\`expired\`).
- **The circuit.** After ${defaultOf('CIRCUIT_FAILURES')} failures in a row nothing is sent for ${defaultOf('CIRCUIT_COOLDOWN')}, and longer after each failed probe.
- **Repeats.** Delivery is at least once. A repeat has the same body, byte for byte. Deduplicate by \`_id\` and event.
- **Order.** None is promised.`;

const securitySchemes = {
  bearer_token: { type: 'http', scheme: 'bearer', description: 'The `token` of the configuration.' },
  basic_auth: {
    type: 'http',
    scheme: 'basic',
    description: 'The Base64 of `username:password` in UTF-8, as in the configuration.',
  },
  api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The `token` of the configuration.' },
  custom_header: {
    type: 'apiKey',
    in: 'header',
    name: 'HEADERNAME',
    description: 'The header is called as the `headerName` of the configuration, and holds its `headerValue`.',
  },
} as const satisfies Readonly<Record<Exclude<Authentication['authType'], 'none'>, unknown>>;

const parameters = {
  ContentLength: header('Content-Length', true, { type: 'integer', minimum: 0 }, 'Always sent: no body is chunked.'),
  Host: header(
    'Host',
    true,
    { type: 'string', minLength: 1 },
    'The host of the URL, with its port unless that is 443.',
  ),
  Connection: header('Connection', true, { const: 'keep-alive' }, 'Connections are reused.'),
  UserAgent: header(
    'User-Agent',
    true,
    { type: 'string' },
    'The operator chooses the value with `DELIVERY_USER_AGENT`.',
  ),
};

function header(name: string, required: boolean, schema: Readonly<Record<string, unknown>>, meaning: string) {
  return { name, in: 'header', required, schema, description: meaning } as const;
}

const requestBody = {
  required: true,
  description: `UTF-8 JSON without compression. Most bodies are smaller than 1 KB; accept up to 1 MiB. A certificate that the platform
wrote as JSON is sent byte for byte.`,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Certificate' },
      examples: { certificate: { value: aCertificateDocument() } },
    },
  },
};

const events: Readonly<Record<EventType, { readonly summary: string; readonly description: string }>> = {
  certificate_completed: {
    summary: 'A user has completed a certificate.',
    description: '`expires` is in the future or null. `expiryReminderSent` is typically false.',
  },
  certificate_expired: {
    summary: 'A certificate has expired.',
    description: '`expires` is in the past. `expiryReminderSent` is typically true.',
  },
};

function operation(event: EventType) {
  return {
    operationId: event,
    tags: ['webhooks'],
    summary: events[event].summary,
    description: `${events[event].description}\n\nThe body does not name the event. Use a webhook with a path of its own for each event.`,
    parameters: Object.keys(parameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { $ref: '#/components/requestBodies/Certificate' },
    responses: Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
  };
}

/** The reasons for which a receiver gives an answer. */
const answers = {
  '2XX': 'Received, and stored in a way that survives a power failure. The content of the body is ignored.',
  '3XX': 'Redirects are not followed.',
  '400': 'The payload or its content type is invalid.',
  '401': 'The credentials are missing or wrong.',
  '403': 'The source is not allowed, or a custom header has another value.',
  '413': 'The body is larger than the receiver accepts.',
  '429': 'Too many requests.',
  '4XX': 'Any other client error. None stops the service for good, also not 410.',
  '500': 'The processing failed.',
  '503': 'The receiver is not available.',
  '5XX': 'Any other server error.',
} as const;
type Status = keyof typeof answers;
export const statuses = Object.keys(answers).filter(isStatus);

const consequences = {
  done: 'The delivery is settled: it is not sent again.',
  retry: 'A failure: the delivery is retried, and a dead letter after its last attempt.',
} as const satisfies Partial<Record<Settlement['kind'], string>>;

const responses = Object.fromEntries(statuses.map((status) => [status, response(status)]));

function response(status: Status) {
  const settlement = status === '2XX' ? 'done' : 'retry';
  const pause =
    status === '429' || status === '503'
      ? ' With `Retry-After` nothing is sent for that time, at most for the longest pause of the circuit.'
      : '';
  const schema = settlement === 'done' ? 'Received' : 'Failure';
  return {
    description: `${answers[status]} ${consequences[settlement]}${pause}`,
    ...(settlement === 'done' ? {} : { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } }),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
    'x-settlement': settlement,
  };
}

const retryAfter = {
  description: `Seconds, fractions of which round up, or an HTTP date. The next attempt waits for the next of the delays that is at least as
long; more than ${delays.at(-1)} counts as ${delays.at(-1)}.`,
  schema: { type: 'string' },
  examples: { seconds: { value: '120' }, date: { value: 'Fri, 27 Nov 2026 08:30:00 GMT' } },
};

const received = {
  type: 'object',
  description: 'A typical body. The service does not read it.',
  properties: { received: { type: 'boolean' } },
};

const failure = {
  type: 'object',
  description: 'A typical body. The service does not read it.',
  properties: { error: { type: 'string' }, message: { type: 'string' } },
};

function isStatus(text: string): text is Status {
  return text in answers;
}
