import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { configurationPage, configurationPagePath } from '../../docs/generate/configuration-page.ts';

describe('the configuration page', () => {
  it('matches the variables; `npm run docs` writes it again', async () => {
    expect(await readFile(configurationPagePath, 'utf8')).toBe(await configurationPage());
  });
});
