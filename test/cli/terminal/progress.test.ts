import { expect, it } from 'vitest';
import { Progress } from '../../../src/cli/terminal/progress.ts';

function aScreen({ isWatched }: { readonly isWatched: boolean }) {
  const [lines, bars]: [string[], string[]] = [[], []];
  let now = 0;
  const bar = isWatched ? (text: string) => void bars.push(text) : undefined;
  const screen = { clock: { now: () => now }, err: (line: string) => void lines.push(line), bar };
  return { screen, lines, bars, pass: (ms: number) => void (now += ms) };
}

it('draws a bar for who watches, ten times a second at most, and takes it away', () => {
  const { screen, lines, bars, pass } = aScreen({ isWatched: true });
  using progress = new Progress('replaying', 1_000, screen);
  progress.advance(100);
  pass(500);
  progress.advance(400);
  progress.advance(100);
  expect(bars).toEqual(['[############............] replaying: 50 %, 500 of 1000, 1000/s']);
  progress[Symbol.dispose]();
  expect([bars.at(-1), lines]).toEqual(['', []]);
});

it('writes a line every ten seconds where nobody watches', () => {
  const { screen, lines, pass } = aScreen({ isWatched: false });
  using progress = new Progress('replaying', 100_000, screen);
  for (let second = 0; second < 25; second += 1) {
    pass(1_000);
    progress.advance(2_000);
  }
  expect(lines).toEqual(['replaying: 20 %, 20000 of 100000, 2000/s', 'replaying: 40 %, 40000 of 100000, 2000/s']);
});
