import { formatDuration } from '../../lib/duration.ts';
import type { Reading } from '../parse-variables.ts';
import type { Values } from '../variables.ts';

/** What is allowed and hardly meant. Each is a sentence without its full stop, for a log line or a terminal. */
export function relationWarnings({ values }: Reading): readonly string[] {
  return [...tierWarnings(values), ...clearTextWarnings(values), ...networkWarnings(values)];
}

/**
 * A failing delivery reaches a tier once the delays of all tiers up to it are over. One that a `Retry-After` or a
 * deferral brings there sooner is not what a tier is for.
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
        `RETRY_DELAYS has a tier ${formatDuration(delayMs)} that no delivery reaches by failing: ` +
        `it would be due ${formatDuration(dueMs)} after it was planned, and DELIVERY_MAX_AGE is ${formatDuration(maxAgeMs)}`,
    );
}

function clearTextWarnings(values: Partial<Values>): readonly string[] {
  const isPlain = values.KAFKA_SASL_MECHANISM === 'plain' && values.KAFKA_TLS === false;
  const { SCHEMA_REGISTRY_URL: registryUrls = [], SCHEMA_REGISTRY_PASSWORD: registryPassword } = values;
  const isRegistryInClear = registryPassword !== undefined && registryUrls.some((url) => url.startsWith('http:'));
  return [
    ...(isPlain ? ['KAFKA_SASL_MECHANISM is plain and KAFKA_TLS is false: the password goes out in clear'] : []),
    ...(isRegistryInClear ? ['SCHEMA_REGISTRY_URL is not https: the password goes out in clear'] : []),
  ];
}

function networkWarnings({ DELIVERY_ALLOWED_NETWORKS: networks = [] }: Partial<Values>): readonly string[] {
  return networks
    .filter((network) => network.endsWith('/0'))
    .map((network) => `DELIVERY_ALLOWED_NETWORKS has ${network}: webhooks may lead to every address of the inside`);
}
