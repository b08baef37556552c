import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { hitsName } from './region-hits.ts';
import { instrument, regionAt } from './regions.ts';

describe('the regions of a file', () => {
  it('run as a whole, and are marked when they do', () => {
    const text = [
      'function f(a) { if (a) return before; after; }',
      'const g = (a) => inArrow;',
      'function h(a) { switch (a) { case 1: inCase; } }',
      'function i() { for (const one of []) never; }',
      'class A { field = inField; }',
    ].join('\n');
    const file = instrument('a.ts', text, 3);
    const ranAfter = (call: string): readonly string[] => {
      const hits: number[] = [];
      const names = { before: 0, after: 0, inArrow: 0, inCase: 0, inField: 0 };
      runInNewContext(`${file.text};${call}`, { [hitsName]: hits, ...names });
      return [...text.matchAll(/before|after|in[A-Z]\w+|never/g)]
        .filter(({ 0: word, index }) => hits[regionAt(file, { start: index, end: index + word.length }) ?? -1] === 1)
        .map(([word]) => word);
    };
    expect(ranAfter('f(true)')).toEqual(['before']);
    expect(ranAfter('f(false)')).toEqual(['after']);
    expect(ranAfter('g()')).toEqual(['inArrow']);
    expect(ranAfter('h(1)')).toEqual(['inCase']);
    expect(ranAfter('i()')).toEqual([]);
    expect(ranAfter('new A()')).toEqual(['inField']);
  });

  it('are none around what runs when the file is imported', () => {
    const text = 'const a = 1;';
    expect(regionAt(instrument('a.ts', text, 0), { start: 10, end: 11 })).toBeUndefined();
  });
});
