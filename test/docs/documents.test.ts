import { describe, expect, it } from 'vitest';
import { judgeRecord } from '../../src/certificates/certificate-schema.ts';
import { createConfigurationParser } from '../../src/webhooks/configuration-schema.ts';
import { readPages } from './support/page.ts';

/** Every whole JSON document that the pages show; those with an ellipsis for a credential too. */
const documents = readPages().flatMap(({ path, blocks }) =>
  blocks
    .filter(({ language }) => language === 'json')
    .map(({ text }) => ({ path, document: JSON.parse(text) as Readonly<Record<string, unknown>> })),
);
const configurations = documents.filter(({ document }) => 'url' in document);
const certificates = documents.filter(({ document }) => '_userId' in document);

describe('the JSON that the pages show', () => {
  it('is either a webhook configuration or a certificate', () => {
    expect(configurations.length + certificates.length).toBe(documents.length);
    expect(Math.min(configurations.length, certificates.length)).toBeGreaterThan(0);
  });

  it.each(configurations)('in $path is a configuration that is not refused', ({ document }) => {
    const parse = createConfigurationParser({ isAllowedPort: (port) => port === 443 });
    // Only what is meant to be filled in is not legal as it stands.
    const filledIn = JSON.parse(JSON.stringify(document).replaceAll('…', 'filled in')) as typeof document;
    expect(parse(String(document['_id']), filledIn)).toMatchObject({ kind: 'accepted' });
  });

  it.each(certificates)('in $path is a certificate without a gap', ({ document }) => {
    expect(judgeRecord(document)).toMatchObject({ kind: 'valid', missingFields: [] });
  });
});
