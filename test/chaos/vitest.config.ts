import { defineConfig } from 'vitest/config';
import { ChaosReporter } from './report/chaos-reporter.ts';

/** Where vitest's own results are to go, as JSON; the report of the faults goes to `CHAOS_REPORT`. */
const outputFile = process.env['CHAOS_RESULTS'] ?? '';
const results: ['json', { outputFile: string }][] = outputFile === '' ? [] : [['json', { outputFile }]];

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/chaos/**/*.chaos.ts'],
    reporters: ['default', new ChaosReporter(), ...results],
    // One fault at a time: each has three brokers, the service, its endpoints and a producer to run.
    fileParallelism: false,
    maxWorkers: 1,
    hookTimeout: 180_000,
    // A bound for the whole scale on a busy machine; what is waited for within a fault has bounds of its own.
    testTimeout: 1_200_000,
  },
});
