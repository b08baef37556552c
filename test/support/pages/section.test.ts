import { expect, it } from 'vitest';
import { withSection } from './section.ts';

const page = [
  'before',
  '<!-- cost: begin -->',
  'old cost',
  '<!-- cost: end -->',
  'between',
  '<!-- isolation: begin -->',
  'old isolation',
  '<!-- isolation: end -->',
  'after',
  '',
].join('\n');

it.each(['cost', 'isolation'])('replaces what is between the marks of %s, and keeps all else', (name) => {
  expect(withSection(page, { name, text: 'new' })).toBe(page.replace(`old ${name}`, '\nnew\n'));
});

it('comes to the same text when it is written twice', () => {
  const once = withSection(page, { name: 'cost', text: 'new' });
  expect(withSection(once, { name: 'cost', text: 'new' })).toBe(once);
});

it.each([
  ['has no such marks', 'before\n'],
  ['has them the wrong way round', '<!-- cost: end -->\n<!-- cost: begin -->\n'],
])('refuses a page that %s', (_what, unmarked) => {
  expect(() => withSection(unmarked, { name: 'cost', text: 'new' })).toThrow(
    'The page has no <!-- cost: begin --> … <!-- cost: end -->.',
  );
});
