import type { TestCase, TestModule, TestProject } from 'vitest/node';
import { guarantees } from '../guarantees.ts';
import { closingLines, type LeftOut } from './closing-lines.ts';

/** Prints the closing lines once everything is over: after the summary, and after Kafka has stopped. */
export function setup({ vitest }: TestProject): void {
  vitest.onClose(() => {
    const lines = closingLines(leftOutOf(vitest.state.getTestModules()));
    if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}\n`);
  });
}

function leftOutOf(modules: readonly TestModule[]): LeftOut {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const skipped = tests
    .filter((test) => test.result().state === 'skipped')
    .flatMap((test) => {
      const { lacks = [] } = test.meta();
      return lacks.length === 0 ? [] : [lacks];
    });
  const ran = tests.filter((test) => test.result().state !== 'skipped');
  return {
    skipped,
    shortened: ran.filter((test) => test.meta().isShortened === true).length,
    unseen: guarantees.filter(({ name }) => isTagged(tests, name) && !isTagged(ran, name)),
  };
}

function isTagged(tests: readonly TestCase[], name: string): boolean {
  return tests.some(({ tags }) => tags.includes(name));
}
