import { describe, expect, it } from 'vitest';
import { mutantsOf } from './mutants.ts';
import { applyEdits } from './syntax-tree.ts';

describe('the mutants of a file', () => {
  it.each([
    { text: 'f(a < b);', mutants: [';', 'f(a <= b);', 'f(a >= b);'] },
    { text: 'f(a === b);', mutants: [';', 'f(a !== b);'] },
    { text: "f(a === 'word');", mutants: [';', "f(a !== 'word');"] },
    { text: 'f(a + b * c);', mutants: [';', 'f(a - b * c);', 'f(a + b / c);'] },
    { text: "f('a' + b);", mutants: [';', "f('' + b);"] },
    { text: 'f(a && !b);', mutants: [';', 'f(a || !b);', 'f(a && b);'] },
    { text: 'f(a ?? b);', mutants: [';', 'f((a));'] },
    {
      text: 'f(a?.b, c?.[0], d?.());',
      mutants: [
        ';',
        'f(a.b, c?.[0], d?.());',
        'f(a?.b, c[0], d?.());',
        'f(a?.b, c?.[1], d?.());',
        'f(a?.b, c?.[0], d());',
      ],
    },
    { text: 'a += 1;', mutants: [';', 'a -= 1;', 'a += 2;', 'a += 0;'] },
    { text: 'if (a) f();', mutants: ['if (true) f();', 'if (false) f();', 'if (a) ;'] },
    { text: 'while (a) f();', mutants: ['while (false) f();', 'while (a) ;'] },
    { text: 'f([true]);', mutants: [';', 'f([]);', 'f([false]);'] },
    {
      text: 'f(Math.min(60_000, `${a}`));',
      mutants: [';', 'f(Math.max(60_000, `${a}`));', 'f(Math.min(120000, `${a}`));', 'f(Math.min(60_000, ``));'],
    },
    { text: 'const f = () => g();', mutants: ['const f = () => undefined;'] },
    {
      text: 'function f() { g(); return h; }',
      mutants: ['function f() {}', 'function f() { ; return h; }', 'function f() { g(); return undefined; }'],
    },
  ])('of $text are one change each', ({ text, mutants }) => {
    expect(
      mutantsOf('a.ts', text)
        .map((mutant) => applyEdits(text, [mutant]))
        .toSorted(),
    ).toEqual(mutants.toSorted());
  });

  it.each([
    "import { a } from './a.ts';",
    "type A = 'a' | 1;",
    'const a = b as 1 & { readonly c: true };',
    "throw new RangeError('no' + 1);",
    "assert(a === 1, 'one');",
    "const a = { message: 'broken', 'key-a': b };",
    "class AError extends Error { override readonly name = 'AError'; }",
    "const a = 'A sentence.';",
    "const a = { kind: 'done' };",
  ])('are none in types and in texts for people: %s', (text) => {
    expect(mutantsOf('a.ts', text)).toEqual([]);
  });

  it('know their lines', () => {
    expect(mutantsOf('a.ts', 'f;\nconst a = 0;\n')).toMatchObject([{ line: 1 }, { line: 2, text: '1' }]);
  });
});
