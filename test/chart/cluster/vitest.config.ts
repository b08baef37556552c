import { defineConfig } from 'vitest/config';

/** A separate configuration, because the API server has to be compiled first. */
export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['test/chart/cluster/**/*.cluster.ts'],
    maxWorkers: 1,
    hookTimeout: 3_600_000,
    testTimeout: 120_000,
  },
});
