import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readPage } from './support/page.ts';

const index = readPage('docs/decisions/README.md');
describe('the index of decisions', () => {
  it('says of each package in package.json what it buys', () => {
    const rows = index.tables.filter(([head]) => head?.[0] === 'Package').flatMap(([, ...packages]) => packages);
    const names = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies });
    expect(rows.map(([name = '']) => name).toSorted()).toEqual(names.map((name) => `\`${name}\``).toSorted());
  });
});
