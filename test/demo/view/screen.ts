import type { WriteStream } from 'node:tty';
import { painted, plainText, type Line } from './line.ts';

/** The output of the demo. */
export interface Screen {
  print(lines: readonly Line[]): void;
}

type Output = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean };

/** Returns a screen with colours for a terminal, unless `NO_COLOR` (no-color.org) or `CI` asks for plain lines. */
export function openScreen(output: Output, environment: Readonly<Record<string, string | undefined>>): Screen {
  const isPlain = ['NO_COLOR', 'CI'].some((name) => (environment[name] ?? '') !== '') || environment['TERM'] === 'dumb';
  const textOf = output.isTTY === true && !isPlain ? painted : plainText;
  return {
    print: (lines) => {
      for (const line of lines) output.write(`${textOf(line)}\n`);
    },
  };
}
