import type { Check } from '../checks/check.ts';
import { countFailures, type CheckGroup } from '../checks/run-checks.ts';
import { span, type Line } from './line.ts';

export function groupLines({ title, checks }: CheckGroup): readonly Line[] {
  return [[], [span(title, 'strong')], ...checks.flatMap(checkLines)];
}

function checkLines({ name, verdict }: Check): readonly Line[] {
  switch (verdict.kind) {
    case 'ok':
      return [[span('  ok      ', 'good'), span(name)]];
    case 'failed':
      return [
        [span('  FAILED  ', 'bad'), span(name, 'strong')],
        ...block('expected', verdict.expected),
        ...block('found', verdict.found),
      ];
  }
}

function block(title: string, text: string): readonly Line[] {
  const [first = '', ...rest] = text.split('\n');
  const indent = ' '.repeat(20);
  return [
    [span(`          ${title.padEnd(10)}`, 'faint'), span(first)],
    ...rest.map((line): Line => [span(indent + line)]),
  ];
}

export function verdictLines(groups: readonly CheckGroup[], elapsedMs: number): readonly Line[] {
  const count = groups.flatMap(({ checks }) => checks).length;
  const failures = countFailures(groups);
  const time = span(`, ${(elapsedMs / 1000).toFixed(1)} s in all`, 'faint');
  return failures === 0
    ? [[], [span(`All ${count} checks passed`, 'good'), time]]
    : [[], [span(`${failures} of ${count} checks FAILED`, 'bad'), time]];
}
