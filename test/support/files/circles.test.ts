import { expect, it } from 'vitest';
import { circlesOf } from './circles.ts';

const file = (path: string, ...targets: readonly string[]) => ({
  path,
  imports: targets.map((target) => ({ target, isTypeOnly: true })),
});

it('finds files, and folders of one parent, that import each other', () => {
  expect(
    circlesOf([
      file('src/a/one.ts', 'src/a/two.ts', 'kafkajs'),
      file('src/a/two.ts', 'src/a/one.ts'),
      file('src/b/deep/x.ts', 'src/c/y.ts'),
      file('src/c/z.ts', 'src/d.ts'),
      file('src/d.ts', 'src/b/other.ts'),
    ]),
  ).toEqual(['src/a: one.ts → two.ts → one.ts', 'src: b → c → d.ts → b']);
});

it('accepts a folder that imports from its parent, while the parent imports from it', () => {
  const attempts = file('src/deliveries/attempts.ts', 'src/deliveries/gates/gates.ts');
  const gates = file('src/deliveries/gates/gates.ts', 'src/deliveries/delivery.ts');
  expect(circlesOf([attempts, gates])).toEqual([]);
});
