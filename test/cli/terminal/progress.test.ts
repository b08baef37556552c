import { expect, it } from 'vitest';
import { Progress } from '../../../src/cli/terminal/progress.ts';

function aScreen({ isTerminal }: { readonly isTerminal: boolean }) {
  const [lines, bars]: [string[], string[]] = [[], []];
  let now = 0;
  const bar = isTerminal ? (text: string) => void bars.push(text) : undefined;
  const screen = { clock: { now: () => now, monotonic: () => now }, err: (line: string) => void lines.push(line), bar };
  return { screen, lines, bars, advanceTime: (ms: number) => void (now += ms) };
}

it('draws a bar on a terminal, ten times a second at most, and removes it', () => {
  const { screen, lines, bars, advanceTime } = aScreen({ isTerminal: true });
  using progress = new Progress('replaying', 1_000, screen);
  progress.advance(100);
  advanceTime(500);
  progress.advance(400);
  progress.advance(100);
  expect(bars).toEqual(['[############............] replaying: 50 %, 500 of 1000, 1000/s']);
  progress[Symbol.dispose]();
  expect([bars.at(-1), lines]).toEqual(['', []]);
});

it('prints a line every ten seconds without a terminal', () => {
  const { screen, lines, advanceTime } = aScreen({ isTerminal: false });
  using progress = new Progress('replaying', 100_000, screen);
  for (let second = 0; second < 25; second += 1) {
    advanceTime(1_000);
    progress.advance(2_000);
  }
  expect(lines).toEqual(['replaying: 20 %, 20000 of 100000, 2000/s', 'replaying: 40 %, 40000 of 100000, 2000/s']);
});
