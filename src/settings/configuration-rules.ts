import { isInRanges } from '../lib/port-range.ts';
import type { ConfigurationRules } from '../webhooks/configuration-schema.ts';
import type { Settings } from './sections.ts';

/** Returns the rules for webhook configurations that depend on the settings. Everything is allowed while these are invalid. */
export function configurationRules(settings: Pick<Settings, 'egress' | 'delivery'> | undefined): ConfigurationRules {
  if (settings === undefined) return { isAllowedPort: () => true, mostInFlight: Number.MAX_SAFE_INTEGER };
  const { egress, delivery } = settings;
  return {
    isAllowedPort: (port) => isInRanges(egress.allowedPorts, port),
    mostInFlight: delivery.maxInFlightPerEndpoint,
  };
}
