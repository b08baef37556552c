/** `node write-table.ts REPORT.json PAGE.md` puts the table of a report between the two marks on the page. */
import { readFileSync } from 'node:fs';
import { writeSection } from '../../support/pages/section.ts';
import type { Report } from './report.ts';
import { tableOf } from './table.ts';

const [reportFile = '', pageFile = ''] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
await writeSection(pageFile, { name: 'chaos', text: tableOf(report) });
