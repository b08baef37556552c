import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { withSection, type Section } from './section.ts';

/** Puts the text between the marks of its section on a Markdown page. */
export async function writeSection(path: string, section: Section): Promise<void> {
  const page = withSection(readFileSync(path, 'utf8'), section);
  writeFileSync(path, await format(page, { ...(await resolveConfig(path)), parser: 'markdown' }));
}
