/** The meaning of a piece of text, from which its colour follows. */
type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'busy' | 'accent';

export interface Span {
  readonly tone: Tone;
  readonly text: string;
}

/** One line of the screen. */
export type Line = readonly Span[];

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

/** Returns the text without control sequences, for output that is not a terminal. */
export function plainText(line: Line): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** Shortens the line to the width. A wrapped line would take two rows and break drawing in place. */
export function fit(line: Line, width: number): Line {
  const length = line.reduce((sum, { text }) => sum + Array.from(text).length, 0);
  return length <= width ? line : [...truncate(line, width - 1), span('…')];
}

function truncate(line: Line, width: number): Line {
  let left = width;
  return line.map(({ text, tone }) => {
    const part = Array.from(text).slice(0, left);
    left -= part.length;
    return span(part.join(''), tone);
  });
}

/** Select Graphic Rendition codes (ECMA-48). They use the terminal's palette, which suits its background. */
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
