import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseStrictJson } from '../../src/lib/strict-json.ts';

const most = 100_000;

/** Counts the members and elements of a parsed value. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + 1 + countValues(inner), 0);
}

it('JSON has at most 100,000 members and elements, however they are nested, spaced and quoted', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.integer({ min: -2, max: 2 }), (json, more) => {
      const own = countValues(JSON.parse(json));
      const filler = '[{} ,[\n]],'.repeat((most - own) / 3);
      const rest = most + more - own - 3 * Math.floor((most - own) / 3) - 1;
      const text = `[${filler}${'"\\"[,{",'.repeat(Math.max(0, rest))}${json}]`;
      const count = countValues(JSON.parse(text));
      expect(parseStrictJson(Buffer.from(text)).kind).toBe(count > most ? 'too_large' : 'json');
    }),
    { numRuns: 50 },
  );
});

it('a text is one JSON value, however many brackets it has', () => {
  expect(parseStrictJson(Buffer.from(JSON.stringify('[,{'.repeat(most))))).toMatchObject({ kind: 'json' });
});
