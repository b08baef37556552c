import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../../helm/observability/generated-files.ts';
import { readText, root } from '../support/files/sources.ts';

const chart = 'helm/certificate-webhooks';
const generated = generatedFiles();

describe('the rules and dashboards of the chart', () => {
  it.each(Object.keys(generated))('have an up-to-date %s (npm run generate:dashboards)', (path) => {
    expect(readText(`${chart}/${path}`)).toBe(generated[path]);
  });

  it('are exactly the generated files', () => {
    const found = globSync('{rules,dashboards}/*', { cwd: join(root, chart) });
    expect(found.toSorted()).toEqual(Object.keys(generated).toSorted());
  });
});
