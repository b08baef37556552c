import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, legible } from '../../../../src/telemetry/admin/status/html.ts';

describe('html', () => {
  it('escapes external text, in text and in attributes', () => {
    const evil = `</p><script>alert("1")</script>&'`;
    expect(html`<p title="${evil}">${evil}</p>`.toString()).toBe(
      '<p title="&#60;/p&#62;&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#38;&#39;">' +
        '&#60;/p&#62;&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#38;&#39;</p>',
    );
  });

  it('inserts its own markup unescaped, alone or in lists, and omits undefined', () => {
    const items = ['a', '<b>'].map((text) => html`<i>${text}</i>`);
    expect(html`<p title="${0}">${items}${undefined}</p>`.toString()).toBe(
      '<p title="0"><i>a</i><i>&#60;b&#62;</i></p>',
    );
  });

  it('lets no external text open a tag or leave an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(html`${text}${legible(text)}`.toString().replaceAll(/<\/?bdi>/g, '')).not.toMatch(/[<>"']/);
      }),
    );
  });
});

describe('an external text', () => {
  it.each([
    ['665f1f77bcf86cd799439011', '665f1f77bcf86cd799439011'],
    ['zwei\u0000\u0007\nZeilen', 'zwei\uFFFD\uFFFD\uFFFDZeilen'],
    ['right\u202Eleft', 'right\uFFFDleft'],
    ['un\u200Bseen', 'un\uFFFDseen'],
    ['\uD83D', '\uFFFD'],
    ['größer 🎓', 'größer 🎓'],
  ])('is legible: %j', (text, shown) => {
    expect(legible(text).toString()).toBe(`<bdi>${shown}</bdi>`);
  });

  it('of great length keeps its beginning and its end', () => {
    const shown = legible(`begin${'x'.repeat(1_000_000)}end`).toString();
    expect(shown).toMatch(/^<bdi>beginx{35}…x{17}end<\/bdi>$/);
  });
});
