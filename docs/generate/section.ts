import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';

/** A generated part of a Markdown page, between two marks. */
interface Section {
  /** The name in both marks. */
  readonly name: string;
  readonly text: string;
}

/** Replaces the text between the marks of the section on the Markdown page. */
export async function writeSection(path: string, section: Section): Promise<void> {
  const page = withSection(readFileSync(path, 'utf8'), section);
  writeFileSync(path, await format(page, { ...(await resolveConfig(path)), parser: 'markdown' }));
}

/** Returns the page with the text of the section between its marks. */
function withSection(page: string, { name, text }: Section): string {
  const marks = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`] as const;
  const [begin, end] = [page.indexOf(marks[0]), page.indexOf(marks[1])];
  if (begin < 0 || end < begin) throw new Error(`The page has no ${marks.join(' … ')}.`);
  return `${page.slice(0, begin + marks[0].length)}\n\n${text}\n\n${page.slice(end)}`;
}
