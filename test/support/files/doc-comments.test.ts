import { expect, it } from 'vitest';
import { docCommentsOf, wordsIn } from './doc-comments.ts';

it('splits doc comments into sentences, and leaves out tables, diagrams and code', () => {
  const text = [
    '/** Returns the lag. `undefined` until the first answer. */',
    'const one = 1; // Not a doc comment.',
    '  /**',
    '   * Owns a queue, e.g. of records',
    '   * over two lines:',
    '   *',
    '   * | state | means |',
    '   *     open ──▶ closed',
    '   * - An item',
    '   * - Another item (RFC 9110). The end.',
    '   */',
  ].join('\n');
  expect(docCommentsOf({ path: 'src/a.ts', text })).toEqual([
    { path: 'src/a.ts', line: 1, sentences: ['Returns the lag.', '`undefined` until the first answer.'] },
    {
      path: 'src/a.ts',
      line: 3,
      sentences: [
        'Owns a queue, e.g. of records over two lines:',
        '- An item',
        '- Another item (RFC 9110).',
        'The end.',
      ],
    },
  ]);
});

it('counts the words of a sentence, not its dashes and arrows', () => {
  expect(wordsIn('- At most `20` words, a → b.')).toBe(6);
});
