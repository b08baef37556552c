/** What a piece of text is, rather than which colour it has. */
export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'busy' | 'accent';

export interface Span {
  readonly tone: Tone;
  readonly text: string;
}

/** One line of the screen. */
export type Line = readonly Span[];

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

/** Without control sequences, for where there is no terminal. */
export function plainText(line: Line): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** At most that wide: a line that wraps would take two, and what is drawn over it in place would be off by one. */
export function fit(line: Line, width: number): Line {
  const length = line.reduce((sum, { text }) => sum + Array.from(text).length, 0);
  return length <= width ? line : [...start(line, width - 1), span('…')];
}

function start(line: Line, width: number): Line {
  let left = width;
  return line.map(({ text, tone }) => {
    const part = Array.from(text).slice(0, left);
    left -= part.length;
    return span(part.join(''), tone);
  });
}

/** Select Graphic Rendition (ECMA-48): the colours of the terminal's own palette, so that they suit its background. */
const codes: Readonly<Record<Tone, string>> = {
  plain: '',
  strong: '1',
  faint: '2',
  good: '32',
  bad: '31',
  busy: '33',
  accent: '36',
};

export function painted(line: Line): string {
  return line
    .map(({ text, tone }) => (codes[tone] === '' || text === '' ? text : `\u001B[${codes[tone]}m${text}\u001B[0m`))
    .join('');
}
