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

it.each(['cost', 'isolation'])('replaces the text between the marks of %s, and nothing else', (name) => {
  expect(withSection(page, { name, text: 'new' })).toBe(page.replace(`old ${name}`, '\nnew\n'));
});

it('gives the same page when a section is written twice', () => {
  const once = withSection(page, { name: 'cost', text: 'new' });
  expect(withSection(once, { name: 'cost', text: 'new' })).toBe(once);
});

it.each([
  ['has no marks', 'before\n'],
  ['has its marks in reverse order', '<!-- cost: end -->\n<!-- cost: begin -->\n'],
])('refuses a page that %s', (_what, unmarked) => {
  expect(() => withSection(unmarked, { name: 'cost', text: 'new' })).toThrow(
    'The page has no <!-- cost: begin --> … <!-- cost: end -->.',
  );
});
