import { formatDuration } from '../lib/units.ts';
import type { Environment } from './environment.ts';
import type { ParsedVariables } from './parse-variables.ts';
import { knownNames, variableEntries, type Values } from './variables.ts';

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
    .map((name) => `${name} is not a setting; did you mean ${nearestTo(name)}?`);
}

/** Kubernetes sets such variables for a service named, for example, `kafka`. Other programs read `HTTP_PROXY`. */
function isIgnored(name: string): boolean {
  return name === 'HTTP_PROXY' || /_PORT(?:_|$)|_SERVICE_HOST$|_SERVICE_PORT/.test(name);
}

function nearestTo(name: string): string {
  return knownNames
    .map((known) => ({ known, distance: editDistance(name, known) }))
    .reduce((nearest, next) => (next.distance < nearest.distance ? next : nearest)).known;
}

/** Returns the Levenshtein distance: the fewest characters to insert, delete or replace that turn one text into the other. */
function editDistance(one: string, other: string): number {
  // The distances from the characters of `one` so far to each prefix of `other`.
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of Array.from(one).entries()) {
    const next = [index + 1];
    for (const [column, opposite] of Array.from(other).entries()) {
      const replaced = (row[column] ?? 0) + (character === opposite ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
