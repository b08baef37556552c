/** Writes `docs/performance.md` and its plots again from the stored figures. Run it after a change of its tables. */
import { join } from 'node:path';
import { root } from '../support/files/sources.ts';
import { writePage as writeIsolation } from './isolation/write-page.ts';
import { writePage as writeThroughput } from './throughput/write-page.ts';

const docs = join(root, 'docs');
await writeThroughput(docs);
await writeIsolation(docs);
