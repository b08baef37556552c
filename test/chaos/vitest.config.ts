import { defineConfig } from 'vitest/config';
import { ChaosReporter } from './report/chaos-reporter.ts';

/** The file for the results of vitest, as JSON. The table of the faults goes to `CHAOS_PAGE`. */
const outputFile = process.env['CHAOS_RESULTS'] ?? '';
const results: ['json', { outputFile: string }][] = outputFile === '' ? [] : [['json', { outputFile }]];

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/chaos/**/*.chaos.ts'],
    reporters: ['default', new ChaosReporter(), ...results],
    // One fault at a time: each one runs three brokers, the service, its endpoints and a producer.
    fileParallelism: false,
    maxWorkers: 1,
    hookTimeout: 180_000,
    // Enough for the full scale on a busy machine. Every wait within a fault has its own limit.
    testTimeout: 1_200_000,
  },
});
