import { defineConfig } from 'vitest/config';

/** Apart from the other tests, so that those stay quick. */
export default defineConfig({
  test: { include: ['test/simulation/**/*.simulation.ts'], maxWorkers: 2 },
});
