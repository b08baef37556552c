import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { guarantees } from './test/support/guarantees.ts';

type ProjectOptions = NonNullable<TestProjectInlineConfiguration['test']>;

const kafkaSetup = 'test/support/kafka/global-setup.ts';
/** Parts of the service on a real Kafka, each beside its other tests. */
const componentsOnKafka = 'test/**/*.kafka.test.ts';
const folders = {
  repairs: ['test/kafka/kafkajs/**/*.test.ts'],
  scenarios: ['test/scenarios/**/*.test.ts'],
  kafka: ['test/edge-cases/**/*.test.ts', componentsOnKafka],
  pages: ['test/pages/**/*.test.ts'],
  chart: ['test/chart/**/*.test.ts', 'test/observability/**/*.test.ts'],
  programs: ['test/programs/**/*.test.ts'],
  load: ['test/load/**/*.test.ts'],
  image: ['test/image/image.test.ts'],
  cluster: ['test/cluster/**/*.test.ts'],
} as const;

/**
 * A project for each purpose. `npm test` runs `unit`, `repairs` and `scenarios`, and `npm run test:more` the others; CONTRIBUTING.md
 * says what each of them is for.
 */
export default defineConfig({
  test: {
    // The last lines of a run say what it left out.
    globalSetup: ['test/support/programs/global-setup.ts'],
    tags: guarantees.map(({ name, title }) => ({ name, description: title })),
    projects: [
      project('unit', {
        include: ['test/**/*.test.ts'],
        exclude: Object.values(folders).flat(),
        sequence: { groupOrder: 0 },
      }),
      // A repair changes kafkajs for its whole process, and these tests compare it with the original.
      project('repairs', {
        include: [...folders.repairs],
        exclude: [componentsOnKafka],
        isolate: true,
        sequence: { groupOrder: 0 },
      }),
      project('scenarios', { ...onKafka(1), include: [...folders.scenarios] }),
      project('kafka', { ...onKafka(2), include: [...folders.kafka] }),
      // What the pages say, and what other programs play, takes minutes of waiting, and little else.
      project('pages', { ...onKafka(3), include: [...folders.pages], maxWorkers: 4 }),
      project('programs', { ...onKafka(3), include: [...folders.programs], maxWorkers: 4 }),
      project('chart', { include: [...folders.chart], exclude: [componentsOnKafka], sequence: { groupOrder: 4 } }),
      // What measures time or memory has the machine and its process to itself.
      project('load', {
        ...onKafka(6),
        include: [...folders.load],
        isolate: true,
        maxWorkers: 1,
        testTimeout: 600_000,
      }),
      // Building keeps every core busy. Its setup starts a broker only where an engine runs containers.
      project('image', {
        include: [...folders.image],
        globalSetup: ['test/image/global-setup.ts'],
        sequence: { groupOrder: 7 },
      }),
      // Its API server is not on most machines, so no command but its own runs it.
      project('cluster', { include: [...folders.cluster], sequence: { groupOrder: 8 } }),
    ],
  },
});

/** Projects run one after the other, in the order of their groups. */
function project(name: string, options: ProjectOptions): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      setupFiles: ['test/support/resources/leaks.ts'],
      // Files share processes and what these have loaded. No module of the service has a state.
      isolate: false,
      maxWorkers: 2,
      // Bounds for a busy machine, not expectations: tests wait for what happens, never for time to pass.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      ...options,
    },
  };
}

/** Options of a project whose files share one broker, which starts before the first of them. */
function onKafka(groupOrder: number): ProjectOptions {
  return { globalSetup: [kafkaSetup], sequence: { groupOrder } };
}
