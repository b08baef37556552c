import { describe, expect, it } from 'vitest';
import { shippedRules } from '../observability/support/shipped.ts';
import { readPage } from './support/page.ts';

const alerts = shippedRules('alerts').flatMap(({ rules }) => rules);
const entries = readPage('docs/operations.md').headings.filter(({ text }) => text.startsWith('CertificateWebhooks'));

describe('the runbook entries in docs/operations.md', () => {
  it('exist for every alert, and for nothing else', () => {
    const names = alerts.map(({ alert = '' }) => alert);
    expect(entries.map(({ text }) => text).toSorted()).toEqual(names.toSorted());
  });

  it.each(alerts)('for $alert stand at its runbook_url, with its severity', ({ alert, labels, annotations }) => {
    const entry = entries.find(({ text }) => text === alert);
    expect(annotations?.['runbook_url']).toBe(`docs/operations.md#${entry?.anchor}`);
    expect(entry?.body).toContain(`- **Severity:** ${labels?.['severity']}.`);
  });

  it.each(entries)(
    'for $text say what it means, who is affected, what to check, how to fix it, and when it is resolved',
    ({ body }) => {
      for (const part of ['Means:', 'Who is affected:', 'Check first:', 'Fix:', 'Resolved when']) {
        expect(body).toContain(`- **${part}`);
      }
    },
  );
});
