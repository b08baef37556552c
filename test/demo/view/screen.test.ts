import { describe, expect, it } from 'vitest';
import { span, type Line } from './line.ts';
import { LiveScreen, openScreen, PlainScreen } from './screen.ts';

interface Output {
  readonly written: string[];
  readonly columns: number;
  readonly rows: number;
  readonly isTTY: boolean;
  write(text: string): boolean;
}

function anOutput({ isTTY = true, rows = 24 } = {}): Output {
  const written: string[] = [];
  return { written, columns: 20, rows, isTTY, write: (text) => written.push(text) > 0 };
}

function lines(...texts: readonly string[]): readonly Line[] {
  return texts.map((text) => [span(text)]);
}

describe('a live screen', () => {
  it('draws what it shows over what it showed, in one write', () => {
    const output = anOutput();
    const screen = new LiveScreen(output);
    screen.show(lines('a', 'b'));
    screen.show(lines('c'));
    expect(output.written.slice(1)).toEqual(['\ra\u001B[K\nb\u001B[K\n\u001B[J', '\u001B[2A\rc\u001B[K\n\u001B[J']);
  });

  it('prints above what it shows', () => {
    const output = anOutput();
    const screen = new LiveScreen(output);
    screen.show(lines('shown'));
    screen.print(lines('kept'));
    expect(output.written.at(-1)).toBe('\u001B[1A\rkept\u001B[K\nshown\u001B[K\n\u001B[J');
  });

  it('shows no more than fits, since it could not draw over the rest', () => {
    const output = anOutput({ rows: 3 });
    const screen = new LiveScreen(output);
    screen.show(lines('a', 'b', 'c'));
    screen.show(lines('a line of more than twenty'));
    expect(output.written.at(-1)).toBe('\u001B[2A\ra line of more than…\u001B[K\n\u001B[J');
  });

  it('gives the cursor back', () => {
    const output = anOutput();
    const screen = new LiveScreen(output);
    screen[Symbol.dispose]();
    expect(output.written.at(0)).toBe('\u001B[?25l');
    expect(output.written.at(-1)).toBe('\u001B[?25h');
  });
});

describe('a plain screen', () => {
  it('prints lines without control sequences and shows nothing else', () => {
    const output = anOutput();
    const screen = new PlainScreen(output);
    screen.show();
    screen.print([[span('kept', 'good')]]);
    expect(output.written).toEqual(['kept\n']);
  });
});

describe('the screen', () => {
  it.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['CI', true, { CI: 'true' }, false],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('with %s', (_, isTTY, environment, isLive) => {
    expect(openScreen(anOutput({ isTTY }), environment).isLive).toBe(isLive);
  });
});
