import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readPage, readPages } from './support/page.ts';

const parts = ['Context', 'Choice', 'Cost', 'Status'];

const index = readPage('docs/decisions/README.md');
const decisions = readPages().filter(({ path }) => path.startsWith('docs/decisions/') && path !== index.path);

describe.each(decisions.map((page) => [page.path, page] as const))('%s', (path, page) => {
  const body = (part: string): string => page.headings.find(({ text }) => text === part)?.body.trim() ?? '';

  it('has a context, a choice, a cost and a status, and nothing else', () => {
    const [title, ...sections] = page.headings;
    expect(title?.level).toBe(1);
    expect(sections.map(({ text }) => text)).toEqual(parts);
    expect(parts.filter((part) => body(part) === '')).toEqual([]);
    expect(body('Status')).toMatch(/^(?:accepted|replaced by \[\d{4}\]\(\S+\))$/);
  });

  it('has a row in the index, with its number and its status', () => {
    const file = basename(path);
    const rows = index.tables.flat().filter(([number]) => number === `[${file.slice(0, 4)}](${file})`);
    expect(rows.map(([, , status]) => status)).toEqual([body('Status')]);
  });
});

describe('the index of decisions', () => {
  it('says of each package in package.json what it buys', () => {
    const rows = index.tables.filter(([head]) => head?.[0] === 'Package').flatMap(([, ...packages]) => packages);
    const names = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies });
    expect(rows.map(([name = '']) => name).toSorted()).toEqual(names.map((name) => `\`${name}\``).toSorted());
  });
});
