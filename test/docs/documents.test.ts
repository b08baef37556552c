import { describe, expect, it } from 'vitest';
import { validateRecord } from '../../src/certificates/certificate-schema.ts';
import { createConfigurationParser } from '../../src/webhooks/configuration-schema.ts';
import { resultFormats } from '../support/registry/published-results.ts';
import { readPages } from './support/page.ts';

/** All JSON documents that the pages show. A credential may be an ellipsis. */
const documents = readPages().flatMap(({ path, blocks }) =>
  blocks
    .filter(({ language }) => language === 'json')
    .map(({ text }) => ({ path, document: JSON.parse(text) as Readonly<Record<string, unknown>> })),
);
const configurations = documents.filter(({ document }) => 'url' in document);
const results = documents.filter(({ document }) => 'type' in document);
const certificates = documents.filter(({ document }) => '_userId' in document);

describe('the JSON that the pages show', () => {
  it('is a webhook configuration, a certificate or a record of the results topic', () => {
    const kinds = [configurations.length, certificates.length, results.length];
    expect(kinds.reduce((sum, count) => sum + count, 0)).toBe(documents.length);
    expect(Math.min(...kinds)).toBeGreaterThan(0);
  });

  it.each(configurations)('in $path is an accepted configuration', ({ document }) => {
    const parse = createConfigurationParser({ isAllowedPort: (port) => port === 443, mostInFlight: 16 });
    // An ellipsis marks a value that the reader fills in.
    const filledIn = JSON.parse(JSON.stringify(document).replaceAll('…', 'filled in')) as typeof document;
    expect(parse(String(document['_id']), filledIn)).toMatchObject({ kind: 'accepted' });
  });

  it.each(results)('in $path matches the schema of results', ({ document }) => {
    expect(resultFormats.JSON(document)).toEqual(document);
  });

  it.each(certificates)('in $path is a certificate with every field', ({ document }) => {
    expect(validateRecord(document)).toMatchObject({ kind: 'valid', missingFields: [] });
  });
});
