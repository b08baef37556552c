import { nearestTo } from '../lib/nearest.ts';
import { formatDuration, parseDuration } from '../lib/units.ts';
import type { Environment } from './environment.ts';
import { isKeyOf } from './kinds/file-kinds.ts';
import { quote, type ParsedVariables, type Problem } from './parse-variables.ts';
import { type Values, type VariableName, knownNames, variableEntries } from './variables.ts';

/** Returns the problems between variables that are valid by themselves. */
export function ruleProblems(parsed: ParsedVariables): readonly Problem[] {
  const { values, isSet } = parsed;
  return [
    ...orderingProblems(values),
    ...missing(isSet, ['KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE']),
    ...missing(isSet, registryLogin),
    ...saslProblems(parsed),
    ...tlsProblems(parsed),
    ...missing(isSet, [...registryLogin, 'SCHEMA_REGISTRY_CA_FILE'], ['SCHEMA_REGISTRY_URL']),
    ...featureProblems(parsed),
    ...headerProblems(values),
    ...topicRoleProblems(values),
  ];
}

/** Refuses the variable by which Node itself turns off certificate verification. */
export function nodeProblems(environment: Environment): readonly Problem[] {
  const variable = 'NODE_TLS_REJECT_UNAUTHORIZED';
  if (environment[variable] !== '0') return [];
  return [{ variable, found: '"0"', expected: 'it to be unset, because certificates are always verified' }];
}

type Names = readonly VariableName[];
type IsSet = ParsedVariables['isSet'];

const registryLogin: Names = ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD'];
const passwordLogin: Names = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'];
const oauthLogin: Names = ['KAFKA_OAUTH_TOKEN_URL', 'KAFKA_OAUTH_CLIENT_ID', 'KAFKA_OAUTH_CLIENT_SECRET'];
/** All variables of such a login, including the optional ones. */
const allOauth: Names = [...oauthLogin, 'KAFKA_OAUTH_SCOPE'];

/** Returns a problem for each needed variable that is missing while one of `names` is set. */
function missing(isSet: IsSet, names: Names, needed: Names = names): readonly Problem[] {
  const present = names.filter(isSet);
  if (present.length === 0) return [];
  return unset(isSet, needed, `${present.join(' and ')} ${present.length === 1 ? 'is' : 'are'} set`);
}

function unset(isSet: IsSet, needed: Names, reason: string): readonly Problem[] {
  const expected = `a value, because ${reason}`;
  return needed.filter((name) => !isSet(name)).map((variable) => ({ variable, found: undefined, expected }));
}

/** Variables whose values are numbers. Durations are in milliseconds. */
type NumberName = { [Name in VariableName]: Values[Name] extends number ? Name : never }[VariableName];

const atMost = { margin: 0, expected: 'at most', print: String };
const lessThan = { margin: 1, expected: 'less than', print: formatDuration };
const fiveSecondsLess = { margin: 5_000, expected: 'at least 5s less than', print: formatDuration };

const orderingRules: readonly (readonly [lesser: NumberName, greater: NumberName, rule: typeof lessThan])[] = [
  ['DELIVERY_CONNECT_TIMEOUT', 'DELIVERY_TIMEOUT', lessThan],
  // A delivery that starts just before shutdown takes its whole timeout. Its retry and the commit need 5 s more.
  ['DELIVERY_TIMEOUT', 'SHUTDOWN_GRACE', fiveSecondsLess],
  ['DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT', 'DELIVERY_MAX_IN_FLIGHT', atMost],
  ['DELIVERY_MAX_WAITING_PER_ENDPOINT', 'INTAKE_MAX_RECORDS', atMost],
];

function orderingProblems(values: Partial<Values>): readonly Problem[] {
  return orderingRules.flatMap(([lesser, greater, { margin, expected, print }]) => {
    const [value, limit] = [values[lesser], values[greater]];
    if (value === undefined || limit === undefined || value + margin <= limit) return [];
    return [{ variable: lesser, found: print(value), expected: `${expected} ${greater}, which is ${print(limit)}` }];
  });
}

/** Returns the problems between the mechanism and the variables of both kinds of login. */
function saslProblems({ values: { KAFKA_SASL_MECHANISM: mechanism }, isSet }: ParsedVariables): readonly Problem[] {
  const variable = 'KAFKA_SASL_MECHANISM';
  if (!isSet(variable)) {
    return [
      ...missing(isSet, [...passwordLogin, ...allOauth], [variable]),
      ...missing(isSet, passwordLogin),
      ...missing(isSet, allOauth, oauthLogin),
    ];
  }
  // A wrong mechanism has its own problem, and says nothing about the others.
  if (mechanism === undefined) return [];
  const isOauth = mechanism === 'oauthbearer';
  const unused = (isOauth ? passwordLogin : allOauth).filter(isSet);
  const right = `${isOauth ? 'another mechanism' : '`oauthbearer`'}, or ${unused.join(' and ')} to be unset`;
  return [
    ...missing(isSet, [variable, ...(isOauth ? oauthLogin : passwordLogin)]),
    ...(unused.length === 0 ? [] : [{ variable, found: mechanism, expected: right }]),
  ];
}

/** Refuses TLS files without TLS, because credentials would be sent in clear text, and the key of another certificate. */
function tlsProblems({ values, isSet }: ParsedVariables): readonly Problem[] {
  const { KAFKA_TLS: isEnabled, KAFKA_TLS_CERT_FILE: chain, KAFKA_TLS_KEY_FILE: key } = values;
  const files = (['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'] as const).filter(isSet);
  const problems: Problem[] = [];
  if (isEnabled === false && files.length > 0) {
    problems.push({ variable: 'KAFKA_TLS', found: 'false', expected: `true, or ${files.join(' and ')} to be unset` });
  }
  if (chain !== undefined && key !== undefined && !isKeyOf(chain.value, key.value)) {
    const expected = 'the key of KAFKA_TLS_CERT_FILE';
    problems.push({ variable: key.namedBy, found: quote(key.file ?? ''), expected });
  }
  return problems;
}

function featureProblems({ values, isSet }: ParsedVariables): readonly Problem[] {
  const { RESULTS_INCLUDE: included, WEBHOOK_REQUIRE_SEALED: isSealed } = values;
  return [
    ...(included?.includes('records') === true ? unset(isSet, ['RESULTS_TOPIC'], 'RESULTS_INCLUDE names records') : []),
    ...(isSealed === true ? unset(isSet, ['WEBHOOK_KEYS_FILE'], 'WEBHOOK_REQUIRE_SEALED is true') : []),
  ];
}

/** Compares header names without case (RFC 9110, section 5.1). */
function headerProblems({
  DELIVERY_ID_HEADER: id,
  DELIVERY_EVENT_TYPE_HEADER: eventType,
}: Partial<Values>): readonly Problem[] {
  if (id === undefined || id.toLowerCase() !== eventType?.toLowerCase()) return [];
  return [{ variable: 'DELIVERY_ID_HEADER', found: id, expected: 'a different name than DELIVERY_EVENT_TYPE_HEADER' }];
}

/**
 * Returns a problem for each topic with two roles. Its records would be parsed as the wrong kind, or the service would
 * read its own writes endlessly.
 */
function topicRoleProblems(values: Partial<Values>): readonly Problem[] {
  const { RETRY_TOPIC_PREFIX: prefix } = values;
  const roles = topicRoles(values);
  return roles.flatMap(({ variable, topic: found }, index) => {
    const other = roles.slice(0, index).find((role) => role.topic === found);
    if (other !== undefined) return [{ variable, found, expected: `a topic that ${other.variable} does not use` }];
    if (prefix === undefined || tierDelayMs(prefix, found) === undefined) return [];
    const expected = `a topic that is not a retry topic: RETRY_TOPIC_PREFIX is ${prefix}`;
    return [{ variable, found, expected }];
  });
}

/** Returns the role of every topic except the retry topics. Those are recognized by their prefix. */
function topicRoles(values: Partial<Values>): readonly { readonly variable: VariableName; readonly topic: string }[] {
  const { CERTIFICATE_TOPICS: certificates = [], WEBHOOK_CONFIGURATIONS: webhooks } = values;
  const roles = [
    ...certificates.map(({ topic }) => ({ variable: 'CERTIFICATE_TOPICS' as const, topic })),
    { variable: 'WEBHOOK_CONFIGURATIONS' as const, topic: webhooks?.kind === 'kafka' ? webhooks.topic : undefined },
    { variable: 'DEAD_LETTER_TOPIC' as const, topic: values.DEAD_LETTER_TOPIC },
    { variable: 'RESULTS_TOPIC' as const, topic: values.RESULTS_TOPIC },
  ];
  return roles.flatMap(({ variable, topic }) => (topic === undefined ? [] : [{ variable, topic }]));
}

/** Returns the topic of the tier with that delay: `PREFIX.10m` for 600,000 ms. */
export function tierTopic(prefix: string, delayMs: number): string {
  return `${prefix}.${formatDuration(delayMs)}`;
}

/** Returns the delay of a topic that is read as a tier, configured or not. Returns undefined for any other topic. */
export function tierDelayMs(prefix: string, topic: string): number | undefined {
  return topic.startsWith(`${prefix}.`) ? parseDuration(topic.slice(prefix.length + 1)) : undefined;
}

/** Returns warnings about valid settings that are probably mistakes. Each is a sentence without its full stop. */
export function settingsWarnings({ values }: ParsedVariables): readonly string[] {
  return [...tierWarnings(values), ...clearTextWarnings(values), ...networkWarnings(values)];
}

/**
 * Warns of tiers beyond `DELIVERY_MAX_AGE`. A failing delivery reaches a tier only after the delays of all tiers up to
 * it. A `Retry-After` or a deferral may get it there sooner, but no tier exists for that alone.
 */
function tierWarnings({ RETRY_DELAYS: delaysMs = [], DELIVERY_MAX_AGE: maxAgeMs }: Partial<Values>): readonly string[] {
  if (maxAgeMs === undefined) return [];
  const tiers = delaysMs.map((delayMs, tier) => {
    const dueMs = delaysMs.slice(0, tier + 1).reduce((sum, earlierMs) => sum + earlierMs, 0);
    return { delayMs, dueMs };
  });
  const late = tiers.filter(({ dueMs }) => dueMs > maxAgeMs);
  return late.map(
    ({ delayMs, dueMs }) =>
      `RETRY_DELAYS has a tier ${formatDuration(delayMs)} that no failing delivery reaches: ` +
      `it is due ${formatDuration(dueMs)} after planning, but DELIVERY_MAX_AGE is ${formatDuration(maxAgeMs)}`,
  );
}

function clearTextWarnings(values: Partial<Values>): readonly string[] {
  const exposed = { plain: 'password', oauthbearer: 'token', 'scram-sha-256': undefined, 'scram-sha-512': undefined };
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_TLS: tls } = values;
  const secret = mechanism === undefined || tls !== false ? undefined : exposed[mechanism];
  const { SCHEMA_REGISTRY_URL: urls = [], SCHEMA_REGISTRY_PASSWORD: password } = values;
  const isRegistryInClear = password !== undefined && urls.some((url) => url.startsWith('http:'));
  const ofKafka = `KAFKA_SASL_MECHANISM is ${mechanism} and KAFKA_TLS is false: the ${secret} is sent in clear text`;
  const ofRegistry = 'SCHEMA_REGISTRY_URL is not https: the password is sent in clear text';
  return [...(secret === undefined ? [] : [ofKafka]), ...(isRegistryInClear ? [ofRegistry] : [])];
}

function networkWarnings({ DELIVERY_ALLOWED_NETWORKS: networks = [] }: Partial<Values>): readonly string[] {
  return networks
    .filter((network) => network.endsWith('/0'))
    .map((network) => `DELIVERY_ALLOWED_NETWORKS has ${network}: webhooks may reach every internal address`);
}

/** Warns of variables that look like settings but are not, and suggests the nearest name. Values are not printed. */
export function unknownVariableWarnings(environment: Environment): readonly string[] {
  const known = new Set(knownNames);
  const prefixes = [...new Set(variableEntries.map(([name]) => `${name.split('_', 1).join('')}_`))];
  return Object.entries(environment)
    .filter(([name, value]) => value !== undefined && value !== '' && !known.has(name) && !isIgnored(name))
    .map(([name]) => name)
    .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
    .toSorted()
    .map((name) => `${name} is not a setting; did you mean ${nearestTo(name, knownNames)}?`);
}

/** Kubernetes sets such variables for a service named, for example, `kafka`. Other programs read `HTTP_PROXY`. */
function isIgnored(name: string): boolean {
  return name === 'HTTP_PROXY' || /_PORT(?:_|$)|_SERVICE_HOST$|_SERVICE_PORT/.test(name);
}
