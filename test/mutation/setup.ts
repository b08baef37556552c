import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, inject } from 'vitest';
import { hitsName } from './region-hits.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The regions that ran during a test; of a file, those that ran outside of its tests. */
    regions?: readonly number[];
    /** The processor time of a test. */
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
if (regions > 0) watchRegions(new Uint8Array(regions));

function watchRegions(hits: Uint8Array): void {
  Object.assign(globalThis, { [hitsName]: hits });
  const outside = new Set<number>();
  let startedAt = 0;
  beforeEach(() => {
    for (const region of takeHits(hits)) outside.add(region);
    startedAt = processorMs();
  });
  afterEach(({ task }) => {
    task.file.meta.regions = [...outside];
    task.meta.regions = takeHits(hits);
    task.meta.processorMs = Math.round(processorMs() - startedAt);
  });
}

function takeHits(hits: Uint8Array): readonly number[] {
  const taken = [...hits.entries()].filter(([, hit]) => hit === 1).map(([region]) => region);
  hits.fill(0);
  return taken;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
