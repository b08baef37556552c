import { formatDuration } from '../../lib/units.ts';
import type { ParsedVariables } from '../parse-variables.ts';
import type { Values } from '../variables.ts';

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
  return tiers
    .filter(({ dueMs }) => dueMs > maxAgeMs)
    .map(
      ({ delayMs, dueMs }) =>
        `RETRY_DELAYS has a tier ${formatDuration(delayMs)} that no failing delivery reaches: ` +
        `it is due ${formatDuration(dueMs)} after planning, but DELIVERY_MAX_AGE is ${formatDuration(maxAgeMs)}`,
    );
}

function clearTextWarnings(values: Partial<Values>): readonly string[] {
  const exposed = { plain: 'password', oauthbearer: 'token', 'scram-sha-256': undefined, 'scram-sha-512': undefined };
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_TLS: tls } = values;
  const secret = mechanism === undefined || tls !== false ? undefined : exposed[mechanism];
  const { SCHEMA_REGISTRY_URL: registryUrls = [], SCHEMA_REGISTRY_PASSWORD: registryPassword } = values;
  const isRegistryInClear = registryPassword !== undefined && registryUrls.some((url) => url.startsWith('http:'));
  return [
    ...(secret === undefined
      ? []
      : [`KAFKA_SASL_MECHANISM is ${mechanism} and KAFKA_TLS is false: the ${secret} is sent in clear text`]),
    ...(isRegistryInClear ? ['SCHEMA_REGISTRY_URL is not https: the password is sent in clear text'] : []),
  ];
}

function networkWarnings({ DELIVERY_ALLOWED_NETWORKS: networks = [] }: Partial<Values>): readonly string[] {
  return networks
    .filter((network) => network.endsWith('/0'))
    .map((network) => `DELIVERY_ALLOWED_NETWORKS has ${network}: webhooks may reach every internal address`);
}
