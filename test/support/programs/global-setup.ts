import type { TestCase, TestModule, TestProject } from 'vitest/node';
import { guarantees, type Guarantee } from '../guarantees.ts';
import { describeLack, installCommand, type Lack } from './missing-programs.ts';
import { programNames } from './programs.ts';

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

/** The tests and cases that a run left out. */
interface LeftOut {
  /** The lacks of each test that was skipped for want of a program. */
  readonly skipped: readonly (readonly Lack[])[];
  /** The number of long properties that ran a tenth of their cases. */
  readonly shortened: number;
  /** The guarantees whose scenarios were all skipped. */
  readonly unseen: readonly Guarantee[];
}

/** Returns the last lines of a run: what was not run, and what to do about it. None means that all ran. */
function closingLines({ skipped, shortened, unseen }: LeftOut): readonly string[] {
  const lines = [
    ...(skipped.length === 0 ? [] : linesOfSkipped(skipped)),
    ...unseen.map(({ name, title }) => `Not seen: guarantee ${name}, ${title}.`),
  ];
  if (shortened === 0) return lines;
  const properties = shortened === 1 ? '1 long property' : `${shortened} long properties`;
  const whose = shortened === 1 ? 'its' : 'their';
  return [...lines, `${properties} ran a tenth of ${whose} cases; CI=true runs all of them.`];
}

function linesOfSkipped(skipped: LeftOut['skipped']): readonly string[] {
  const lacks = distinctLacks(skipped.flat());
  const rows = lacks.map((lack) => {
    const count = skipped.filter((one) => one.some(({ program }) => program === lack.program)).length;
    return `  ${String(count).padStart(4)} ${lack.program.padEnd(10)} ${describeLack(lack)}`;
  });
  const command = installCommand(lacks);
  const advice = command === undefined ? [] : [`To run them on Debian or Ubuntu: ${command}`];
  return [`Not run: ${countOfTests(skipped.length)}, because these programs are missing:`, ...rows, ...advice];
}

/** Returns one of each program, in the order of the table. */
function distinctLacks(lacks: readonly Lack[]): readonly Lack[] {
  return programNames.flatMap((name) => lacks.find(({ program }) => program === name) ?? []);
}

function countOfTests(count: number): string {
  return count === 1 ? '1 test' : `${count} tests`;
}
