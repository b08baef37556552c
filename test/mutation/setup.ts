import { Worker } from 'node:worker_threads';
import { afterEach, inject } from 'vitest';
import { hitsName } from './regions.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The regions that ran in a file so far. */
    regions?: readonly number[];
    /** The processor time of the process of a file so far. */
    processorMs?: number;
  }
  interface ProvidedContext {
    /** The number of regions, or 0 if they are not watched. */
    readonly regions: number;
    /** The processor time after which the process of a test file ends. */
    readonly maxProcessorMs: number;
  }
}

/**
 * Loaded before every test file of a mutant. Ends the process after too much processor time, because nothing else ends an
 * endless loop. A time on the clock would end tests on a busy machine.
 */
const watchdog = `
  const { workerData } = require('node:worker_threads');
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if ((user + system) / 1000 > workerData) process.kill(process.pid, 'SIGKILL');
  }, 250);
`;
new Worker(watchdog, { eval: true, workerData: inject('maxProcessorMs') }).unref();

const regions = inject('regions');
if (regions > 0) {
  const hits = new Uint8Array(regions);
  Object.assign(globalThis, { [hitsName]: hits });
  afterEach(({ task: { file } }) => {
    const { user, system } = process.cpuUsage();
    file.meta.processorMs = Math.round((user + system) / 1000);
    file.meta.regions = [...hits.keys()].filter((region) => hits[region] === 1);
  });
}
