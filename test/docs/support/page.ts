import { globSync } from 'node:fs';
import { readText, root } from '../../support/files/sources.ts';

/** A parsed page of the documentation. */
export interface Page {
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly headings: readonly Heading[];
  /** Link targets as written. */
  readonly links: readonly string[];
  readonly blocks: readonly Block[];
  /** Text between backticks, outside of code blocks. */
  readonly code: readonly string[];
  readonly tables: readonly Table[];
}

interface Heading {
  readonly level: number;
  readonly text: string;
  /** The fragment of a link to it. */
  readonly anchor: string;
  /** The text below it, up to the next heading of any level. */
  readonly body: string;
}

/** A fenced code block. */
interface Block {
  readonly language: string;
  readonly text: string;
}

/** The cells of each row. The first row is the head. */
type Table = readonly (readonly string[])[];

/** Reads all pages of the documentation, by path. */
export function readPages(): readonly Page[] {
  return globSync('{README.md,CONTRIBUTING.md,SECURITY.md,docs/**/*.md}', { cwd: root }).toSorted().map(readPage);
}

const fence = /^(?<indent> *)```(?<language>\w*)\n(?<text>[\s\S]*?)^ *```$/gm;

/** Reads the page at a path from the root. */
export function readPage(path: string): Page {
  const text = readText(path);
  const prose = text.replaceAll(fence, '');
  return {
    path,
    text,
    headings: headingsIn(prose),
    links: [...prose.matchAll(/\]\((?<target>[^)\s]+)\)/g)].map(({ groups }) => groups?.['target'] ?? ''),
    blocks: blocksIn(text),
    code: [...prose.matchAll(/`(?<code>[^`]+)`/g)].map(({ groups }) => groups?.['code'] ?? ''),
    tables: tablesIn(prose),
  };
}

/** Returns the shell blocks below a heading of the second or third level, in their order. */
export function scriptsBelow(page: Page, heading: string): readonly string[] {
  return blocksBelow(page, heading, 'sh');
}

/** Returns the queries below a heading. Each line of a PromQL block is a query. */
export function queriesBelow(page: Page, heading: string): readonly string[] {
  return blocksBelow(page, heading, 'promql').flatMap(queriesOfBlock);
}

/** Splits a PromQL block into its queries: one on each line. */
export function queriesOfBlock(text: string): readonly string[] {
  return text.trim().split('\n');
}

/** Returns the blocks of a language below a heading of the second or third level. */
export function blocksBelow({ text }: Page, heading: string, wanted: string): readonly string[] {
  const section = text.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return blocksIn(section)
    .filter(({ language }) => language === wanted)
    .map((block) => block.text);
}

/** Returns the shell blocks of a page. */
export function scriptsOf({ blocks }: Page): readonly string[] {
  return blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
}

/** Returns the lines of a page's shell blocks. Continued lines and pipes are joined. */
export function linesOf(page: Page): readonly string[] {
  return scriptsOf(page)
    .flatMap((text) => text.replaceAll(/(?:\\|(?<=\|))\n\s*/g, ' ').split('\n'))
    .map((line) => line.trim());
}

function blocksIn(text: string): readonly Block[] {
  return [...text.matchAll(fence)].map(({ groups = {} }) => ({
    language: groups['language'] ?? '',
    text: (groups['text'] ?? '').replaceAll(new RegExp(`^${groups['indent'] ?? ''}`, 'gm'), ''),
  }));
}

function headingsIn(prose: string): readonly Heading[] {
  const parts = prose.split(/^(?=#{1,6} )/m).filter((part) => part.startsWith('#'));
  return parts.map((part) => {
    const [line = '', ...body] = part.split('\n');
    const [marks = '', ...words] = line.split(' ');
    const text = words.join(' ');
    return { level: marks.length, text, anchor: anchorOf(text), body: body.join('\n') };
  });
}

/** Builds the anchor as GitHub does: lower case, without punctuation, with hyphens for spaces. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function tablesIn(prose: string): readonly Table[] {
  const tables = prose.matchAll(/(?:^ *\|.*\|$\n?)+/gm);
  return [...tables].map(([table]) =>
    table
      .trimEnd()
      .split('\n')
      .filter((row) => !/^[\s|:-]+$/.test(row))
      .map((row) =>
        row
          .trim()
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      ),
  );
}
