/** The meaning of a piece of text, from which its colour follows. */
type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'busy' | 'accent';

export interface Span {
  readonly tone: Tone;
  readonly text: string;
}

/** One line of the output. */
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
