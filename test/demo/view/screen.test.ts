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
  it('redraws its lines in one write', () => {
    const output = anOutput();
    const screen = new LiveScreen(output);
    screen.show(lines('a', 'b'));
    screen.show(lines('c'));
    expect(output.written.slice(1)).toEqual(['\ra\u001B[K\nb\u001B[K\n\u001B[J', '\u001B[2A\rc\u001B[K\n\u001B[J']);
  });

  it('prints lasting lines above the shown ones', () => {
    const output = anOutput();
    const screen = new LiveScreen(output);
    screen.show(lines('shown'));
    screen.print(lines('kept'));
    expect(output.written.at(-1)).toBe('\u001B[1A\rkept\u001B[K\nshown\u001B[K\n\u001B[J');
  });

  it('shows only lines that fit, because it cannot redraw others', () => {
    const output = anOutput({ rows: 3 });
    const screen = new LiveScreen(output);
    screen.show(lines('a', 'b', 'c'));
    screen.show(lines('a line of more than twenty'));
    expect(output.written.at(-1)).toBe('\u001B[2A\ra line of more than…\u001B[K\n\u001B[J');
  });

  it('hides the cursor and shows it again', () => {
    const output = anOutput();
    const screen = new LiveScreen(output);
    screen[Symbol.dispose]();
    expect(output.written.at(0)).toBe('\u001B[?25l');
    expect(output.written.at(-1)).toBe('\u001B[?25h');
  });
});

describe('a plain screen', () => {
  it('prints lasting lines without control sequences, and no others', () => {
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
  ])('is live or plain with %s', (_, isTTY, environment, isLive) => {
    expect(openScreen(anOutput({ isTTY }), environment).isLive).toBe(isLive);
  });
});
