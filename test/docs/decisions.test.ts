import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/files/sources.ts';
import { readPage } from './support/page.ts';

const index = readPage('docs/decisions/README.md');
describe('the index of decisions', () => {
  it('has a row for each one', () => {
    const files = readdirSync(join(root, 'docs', 'decisions')).filter((name) => name !== 'README.md');
    const rows = index.tables.flatMap((table) => table.map(([link = '']) => /\]\((.+\.md)\)/v.exec(link)?.[1]));
    expect(rows.filter((name) => name !== undefined)).toEqual(files.toSorted());
  });

  it('says of each package in package.json what it buys', () => {
    const rows = index.tables.filter(([head]) => head?.[0] === 'Package').flatMap(([, ...packages]) => packages);
    const names = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies });
    expect(rows.map(([name = '']) => name).toSorted()).toEqual(names.map((name) => `\`${name}\``).toSorted());
  });
});
