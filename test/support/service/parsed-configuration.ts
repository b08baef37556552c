import { createConfigurationParser, type ParsedConfiguration } from '../../../src/webhooks/configuration-schema.ts';
import type { Document } from '../builders.ts';

const parse = createConfigurationParser({ isAllowedPort: () => true, mostInFlight: 16 });

/** Parses a webhook configuration as the service does, with any port allowed. Throws if it is refused. */
export function configurationFrom(
  document: Document,
): Extract<ParsedConfiguration, { readonly kind: 'accepted' }>['configuration'] {
  const parsed = parse(String(document['_id']), document);
  if (parsed.kind === 'refused') throw new Error(parsed.problems.join('; '));
  return parsed.configuration;
}
