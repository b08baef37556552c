import { z } from 'zod';
import { eventTypes, type EventType } from '../certificates/certificate.ts';
import { idProblem, isId } from '../certificates/certificate-schema.ts';
import { readCustomHeaders, headerNameProblem, printableAscii } from './header-rules.ts';
import { isTooDeep, tooDeep } from './sealing/document-limits.ts';
import {
  closedProblems,
  withoutSealed,
  type ClosedParts,
  isSealableDocument,
  type SealableDocument,
} from './sealing/sealable-parts.ts';
import type { Endpoint, WebhookLimits, Authentication } from './webhook.ts';

/** The content of an accepted document. */
interface Configuration {
  readonly ownerId: string;
  readonly enabled: boolean;
  readonly paused: boolean;
  readonly events: readonly EventType[];
  readonly limits: WebhookLimits | undefined;
  readonly endpoint: Endpoint;
}

/** The records that a refused document would get if it were valid. Their deliveries are planned, and wait for a fix. */
interface Claim {
  /** Undefined when the document holds no usable owner id. */
  readonly ownerId: string | undefined;
  /** True unless the field is exactly `false`. */
  readonly enabled: boolean;
  /** All event types when the document holds no usable list. */
  readonly events: readonly EventType[];
}

export type ParsedConfiguration =
  | { readonly kind: 'accepted'; readonly configuration: Configuration }
  | { readonly kind: 'refused'; readonly problems: readonly string[]; readonly claim: Claim };

/**
 * Validates the document that is stored under the key `id`. Problems name a field and what is expected, and never quote a
 * value. A part that could not be opened, or is still sealed, makes the document refused.
 */
export type ParseConfiguration = (id: string, document: unknown, closed?: ClosedParts) => ParsedConfiguration;

/** The rules that depend on the settings. */
export interface ConfigurationRules {
  readonly isAllowedPort: PortPolicy;
  /** The highest `limits.inFlight`. */
  readonly mostInFlight: number;
}

export function createConfigurationParser(rules: ConfigurationRules): ParseConfiguration {
  const schema = configurationSchema(rules);
  return (id, document, closed = {}) => {
    if (!isObject(document)) return refuse(id, ['must be an object'], document);
    if (isTooDeep(document)) return refuse(id, [tooDeep], document);
    const { auth, customHeaders, ...fields } = withoutSealed(document);
    const parsed = schema.safeParse({ ...fields, auth });
    const authentication = parsed.data?.auth ?? lenientAuthentication(auth);
    const custom = readCustomHeaders(customHeaders, authentication);
    const problems = [
      ...closedProblems(document, closed),
      ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
      ...keyProblems(id, document._id),
      ...custom.problems,
    ];
    if (!parsed.success || problems.length > 0) return refuse(id, problems, document);
    const { _ownerId: ownerId, url, enabled, paused, events, limits } = parsed.data;
    const endpoint = { url, authentication, customHeaders: custom.headers };
    return { kind: 'accepted', configuration: { ownerId, enabled, paused, events, limits, endpoint } };
  };
}

const idSchema = z.custom<string>(isId, { error: ({ input }) => `must be ${idProblem(input)}` });

const flag = z.boolean({ error: 'must be true or false' });

const eventList = z.custom<readonly EventType[]>(
  (events) => Array.isArray(events) && events.length > 0 && events.every((event) => eventTypes.includes(event)),
  { error: `must be a non-empty list of ${eventTypes.join(', ')}` },
);

/** The largest `perMinute`. A timer can't start more, because it is late by a millisecond. */
const mostPerMinute = 60_000;

function countUpTo(most: number, setting = '') {
  const count = z.int({ error: 'must be a whole number' }).min(1, 'must be at least 1');
  return count.max(most, `must be at most ${most}${setting}`).optional();
}

/** Covers all fields but `customHeaders`, which is checked together with `auth`. Ignores `security` and unknown fields. */
export function configurationSchema({ isAllowedPort, mostInFlight }: ConfigurationRules) {
  const url = z.string({ error: 'must be a string' }).transform((text, context) => {
    const parsed = URL.parse(text);
    const problems = urlProblems(parsed, isAllowedPort);
    for (const message of problems) context.addIssue(message);
    return parsed === null || problems.length > 0 ? z.NEVER : parsed;
  });
  const limits = z.object(
    {
      inFlight: countUpTo(mostInFlight, ', which is DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT'),
      perMinute: countUpTo(mostPerMinute),
    },
    { error: 'must be an object with inFlight, perMinute or both' },
  );
  return z.object({
    _id: idSchema,
    _ownerId: idSchema,
    url,
    enabled: flag.default(true),
    paused: flag.default(false),
    events: eventList.default(eventTypes),
    auth: authenticationSchema.default({ authType: 'none' }),
    limits: limits.optional(),
  });
}

/** The fields that are read one by one, before they are validated. */
interface Fields extends SealableDocument {
  readonly _ownerId?: unknown;
  readonly enabled?: unknown;
  readonly events?: unknown;
}

function isObject(document: unknown): document is Fields {
  return isSealableDocument(document);
}

function keyProblems(id: string, ownId: unknown): readonly string[] {
  if (!isId(ownId)) return [];
  if (ownId !== id) return ['_id: must be the key that the configuration stands under'];
  return id.startsWith(reservedPrefix) ? [`_id: must not begin with ${reservedPrefix}, which is reserved`] : [];
}

/** Keys of the records in the configurations topic that are no configurations. */
const reservedPrefix = 'certificate-webhooks.';

/** Refuses a document. It claims what its own fields say, if they can be read. */
export function refuse(id: string, problems: readonly string[], document: unknown): ParsedConfiguration {
  const { _ownerId, enabled, events }: Fields = isObject(document) ? document : {};
  const claim = {
    // A delivery for a key that is no id could not be written to a tier.
    ownerId: isId(id) && isId(_ownerId) ? _ownerId : undefined,
    enabled: enabled !== false,
    events: eventList.safeParse(events).data ?? eventTypes,
  };
  return { kind: 'refused', problems, claim };
}

/** Returns whether a webhook may point at that port. */
type PortPolicy = (port: number) => boolean;

/** Limit for the URL as the WHATWG parser writes it. Bounds the request line and the memory that a webhook takes. */
const maxUrlCharacters = 2048;

/**
 * Returns the problems of a URL in the form that the WHATWG parser writes. They never quote it, because subscribers put
 * credentials into paths and queries.
 */
function urlProblems(url: URL | null, isAllowedPort: PortPolicy): readonly string[] {
  if (url === null) return ['must be an absolute https: URL'];
  const findings: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [url.protocol !== 'https:', 'must be an absolute https: URL'],
    [url.href.length > maxUrlCharacters, `must not exceed ${maxUrlCharacters} characters`],
    [url.username !== '' || url.password !== '', 'must not carry user info'],
    // `url.hash` is also empty for a URL that ends in a lone `#`.
    [url.href.includes('#'), 'must not carry a fragment'],
    [!isAllowedPort(url.port === '' ? 443 : Number(url.port)), 'must point at an allowed port'],
  ];
  return findings.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}

const nonEmpty = 'must be a non-empty string';

const nonEmptyText = z.string({ error: nonEmpty }).min(1, { error: nonEmpty });

const credential = nonEmptyText.regex(printableAscii, { error: 'must be printable ASCII' });

/** Refuses `\p{Cs}`, half a surrogate pair. UTF-8 can't carry it, so a different password would be sent. */
const password = z
  .string({ error: 'must be a string' })
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: 'must not hold control characters or broken surrogate pairs' });

/** A username without a colon, because the first colon ends the username (RFC 7617). */
const username = password.min(1, { error: nonEmpty }).regex(/^[^:]*$/, { error: "must not hold a ':'" });

const headerName = nonEmptyText.superRefine((name, context) => {
  const problem = name === '' ? undefined : headerNameProblem(name);
  if (problem !== undefined) context.addIssue(problem);
});

/** Accepts an `auth` object whose credentials can be sent in headers. */
export const authenticationSchema = authenticationMethods({ credential, username, password, headerName });

const text = z.string().catch('');
const lenientSchema = authenticationMethods({ credential: text, username: text, password: text, headerName: text });

/**
 * Reads an `auth` with invalid fields as empty text. A custom header that clashes with it is then reported together with
 * the problems of the `auth` itself.
 */
function lenientAuthentication(auth: unknown): Authentication {
  return lenientSchema.safeParse(auth).data ?? { authType: 'none' };
}

/** The five methods of the contract. Fields that a method does not have are ignored. */
function authenticationMethods(
  rules: Readonly<Record<'credential' | 'username' | 'password' | 'headerName', z.ZodType<string>>>,
): z.ZodType<Authentication> {
  return z.discriminatedUnion(
    'authType',
    [
      z.object({ authType: z.literal('none') }),
      z.object({ authType: z.literal('bearer_token'), token: rules.credential }),
      z.object({ authType: z.literal('basic_auth'), username: rules.username, password: rules.password }),
      z.object({ authType: z.literal('api_key'), token: rules.credential }),
      z.object({ authType: z.literal('custom_header'), headerName: rules.headerName, headerValue: rules.credential }),
    ],
    { error: methodProblem },
  );
}

function methodProblem({ code }: { readonly code?: string | undefined }): string {
  return code === 'invalid_union'
    ? 'must be none, bearer_token, basic_auth, api_key or custom_header'
    : 'must be an object with an authType';
}
