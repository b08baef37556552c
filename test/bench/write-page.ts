/** Writes `docs/performance.md` again from the stored figures. Run it after a change of its tables. */
import { join } from 'node:path';
import { root } from '../support/files/sources.ts';
import { writePage as writeThroughput } from './throughput/write-page.ts';

await writeThroughput(join(root, 'docs'));
