import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { configurationPage, configurationPagePath } from '../support/pages/configuration-page.ts';

describe('the page about the configuration', () => {
  it('is what the variables make of it; `npm run docs` writes it anew', async () => {
    expect(await readFile(configurationPagePath, 'utf8')).toBe(await configurationPage());
  });
});
