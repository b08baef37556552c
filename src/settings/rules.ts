import { formatDuration, parseDuration } from '../lib/units.ts';
import type { Environment } from './environment.ts';
import { isKeyOf } from './kinds/file-kinds.ts';
import { quote, type ParsedVariables, type Problem } from './parse-variables.ts';
import type { Values, VariableName } from './variables.ts';

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
    ...sealingProblems(parsed),
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
  const expected = `a value, because ${present.join(' and ')} ${present.length === 1 ? 'is' : 'are'} set`;
  return needed.filter((name) => !isSet(name)).map((variable) => ({ variable, found: undefined, expected }));
}

/** Variables whose values are numbers. Durations are in milliseconds. */
type NumberName = { [Name in VariableName]: Values[Name] extends number ? Name : never }[VariableName];

interface OrderingRule {
  readonly margin: number;
  readonly expected: string;
  readonly print: (value: number) => string;
}

const atMost: OrderingRule = { margin: 0, expected: 'at most', print: String };
const lessThan: OrderingRule = { margin: 1, expected: 'less than', print: formatDuration };
const fiveSecondsLess: OrderingRule = { margin: 5_000, expected: 'at least 5s less than', print: formatDuration };

const orderingRules: readonly (readonly [lesser: NumberName, greater: NumberName, rule: OrderingRule])[] = [
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

function sealingProblems({ values, isSet }: ParsedVariables): readonly Problem[] {
  if (values.WEBHOOK_REQUIRE_SEALED !== true || isSet('WEBHOOK_KEYS_FILE')) return [];
  const expected = 'a value, because WEBHOOK_REQUIRE_SEALED is true';
  return [{ variable: 'WEBHOOK_KEYS_FILE', found: undefined, expected }];
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
