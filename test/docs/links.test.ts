import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/files/sources.ts';
import { readPage, readPages, type Page } from './support/page.ts';

describe.each(readPages().map((page) => [page.path, page] as const))('%s', (_path, page) => {
  it('links to files and headings that are there', () => {
    expect(page.links.flatMap((link) => problemOf(page, link))).toEqual([]);
  });

  it('has no two headings that a link could not tell apart', () => {
    const anchors = page.headings.map(({ anchor }) => anchor);
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
  });
});

/** Links that lead out of the repository are not followed. */
function problemOf(page: Page, link: string): readonly string[] {
  if (/^\w+:/.test(link)) return [];
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page.path : normalize(join(dirname(page.path), file));
  if (!existsSync(join(root, path))) return [`${link}: there is no ${path}`];
  const isThere = anchor === undefined || readPage(path).headings.some((heading) => heading.anchor === anchor);
  return isThere ? [] : [`${link}: ${path} has no such heading`];
}
