import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/files/sources.ts';
import { readPage, readPages, type Page } from './support/page.ts';

describe.each(readPages().map((page) => [page.path, page] as const))('%s', (_path, page) => {
  it('links to files and headings that exist', () => {
    expect(page.links.flatMap((link) => problemOf(page, link))).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const paths = [...page.text.matchAll(/`((?:src|test|helm|docs)\/[\w.\/\-]+)`/gv)].map(([, path = '']) => path);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('has no two headings with the same anchor', () => {
    const anchors = page.headings.map(({ anchor }) => anchor);
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
  });
});

it('the changelog links to files and headings that exist', () => {
  const page = readPage('CHANGELOG.md');
  expect(page.links.flatMap((link) => problemOf(page, link))).toEqual([]);
});

/** Returns what is wrong with a link. Links out of the repository are not followed. */
function problemOf(page: Page, link: string): readonly string[] {
  if (/^\w+:/.test(link)) return [];
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page.path : normalize(join(dirname(page.path), file));
  if (!existsSync(join(root, path))) return [`${link}: ${path} does not exist`];
  const exists = anchor === undefined || readPage(path).headings.some((heading) => heading.anchor === anchor);
  return exists ? [] : [`${link}: ${path} has no such heading`];
}
