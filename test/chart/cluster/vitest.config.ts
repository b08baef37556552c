import { defineConfig } from 'vitest/config';

/** Apart from the other tests, since the API server is compiled first where it is not yet. */
export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['test/chart/cluster/**/*.cluster.ts'],
    maxWorkers: 1,
    hookTimeout: 3_600_000,
    testTimeout: 120_000,
  },
});
