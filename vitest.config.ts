import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that need a broker: the scenarios, and whatever is named after it. */
const kafkaTests = ['test/scenarios/**/*.test.ts', 'test/**/*.kafka.test.ts'];
/** Bounds in real time and in memory. They hold on a machine that does nothing else. */
const loadTests = 'test/load/**/*.test.ts';
const imageTest = 'test/image/image.test.ts';

export default defineConfig({
  test: {
    // The last lines of a run say what it left out.
    globalSetup: ['test/support/programs/global-setup.ts'],
    // `npm run test:unit` needs no Java.
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...kafkaTests, loadTests, imageTest],
          setupFiles: ['test/support/resources/leaks.ts'],
          // Bounds for a busy machine, not expectations.
          testTimeout: 120_000,
          // By default a machine with two cores would run one file at a time.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'kafka',
          include: kafkaTests,
          setupFiles: ['test/support/resources/leaks.ts'],
          // One broker for the whole run. Without Java and Maven the run fails and says what to install.
          globalSetup: ['test/support/kafka/global-setup.ts'],
          // Bounds for a busy machine, not expectations: tests wait for what happens, never for time to pass.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'load',
          include: [loadTests],
          setupFiles: ['test/support/resources/leaks.ts'],
          globalSetup: ['test/support/kafka/global-setup.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
          // Alone and one by one, because other work would count as theirs.
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'image',
          include: [imageTest],
          setupFiles: ['test/support/resources/leaks.ts'],
          // A broker of its own, and only where an engine runs containers; elsewhere it says that the tests are skipped.
          globalSetup: ['test/image/global-setup.ts'],
          testTimeout: 60_000,
          // After the others: building keeps every core busy.
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
