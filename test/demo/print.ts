import { styleText } from 'node:util';
import type { CheckGroup } from './checks/run-checks.ts';

type Style = Parameters<typeof styleText>[0];

/** Prints lines. */
export function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

/** Styles a text for a terminal, unless `NO_COLOR` (no-color.org) or `CI` asks for plain lines. */
export function styled(style: Style, text: string): string {
  return (process.env['CI'] ?? '') === '' ? styleText(style, text, { stream: process.stdout }) : text;
}

/** Runs a step, and prints the text for its result, or what failed. */
export async function step<T>(doing: string, run: () => Promise<T>, done: (result: T) => string): Promise<T> {
  const startedAt = Date.now();
  const elapsed = () => styled('dim', `  ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  try {
    const result = await run();
    print(`${styled('green', '  ✓')} ${done(result)}${elapsed()}`);
    return result;
  } catch (error) {
    print(`${styled('red', '  ✗')} ${doing}${elapsed()}`);
    throw error;
  }
}

export function printGroup({ title, checks }: CheckGroup): void {
  print('', styled('bold', title));
  for (const { name, problem } of checks) {
    if (problem === undefined) print(`${styled('green', '  ok      ')}${name}`);
    else print(`${styled('red', '  FAILED  ')}${name}`, ...problem.split('\n').map((line) => `          ${line}`));
  }
}

export function printVerdict(groups: readonly CheckGroup[], elapsedMs: number): void {
  const checks = groups.flatMap((group) => group.checks);
  const failures = checks.filter(({ problem }) => problem !== undefined).length;
  const time = `, ${(elapsedMs / 1000).toFixed(1)} s in all`;
  print(
    '',
    `${failures === 0 ? `All ${checks.length} checks passed` : `${failures} of ${checks.length} checks FAILED`}${time}`,
  );
}
