/** `node write-table.ts REPORT.json PAGE.md` puts the table of a report between the two marks on the page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import type { Report } from './report.ts';
import { tableOf } from './table.ts';

const marks = ['<!-- chaos: begin -->', '<!-- chaos: end -->'] as const;

const [reportFile = '', pageFile = ''] = process.argv.slice(2);
const page = readFileSync(pageFile, 'utf8');
const [begin, end] = [page.indexOf(marks[0]), page.indexOf(marks[1])];
if (begin < 0 || end < begin) throw new Error(`${pageFile} has no ${marks.join(' … ')}.`);
const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
const written = `${page.slice(0, begin + marks[0].length)}\n\n${tableOf(report)}\n\n${page.slice(end)}`;
const style = await resolveConfig(pageFile);
writeFileSync(pageFile, await format(written, { ...style, parser: 'markdown' }));
