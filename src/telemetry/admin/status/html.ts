/** The content of a template. Text is escaped, markup is not. */
export type Content = Html | string | number | undefined | readonly Content[];

/** Markup that is safe to send. Only `html` creates it from external text. */
export class Html {
  readonly #markup: string;

  /** Takes constant markup without escaping it. */
  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** A template tag that escapes text. Attribute values must be quoted. */
export function html(markup: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(String.raw({ raw: markup }, ...contents.map(markupOf)));
}

function markupOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.toString();
  if (typeof content === 'object') return content.map(markupOf).join('');
  return String(content).replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** Characters up to which an external text is shown whole. The middle of a longer one is left out. */
const maxShownLength = 80;

/** Shows an external text on one line: no invisible characters, no change of the writing direction, bounded length. */
export function legible(text: string): Html {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  const shown =
    line.length > maxShownLength ? `${line.slice(0, maxShownLength / 2)}…${line.slice(-maxShownLength / 4)}` : line;
  return html`<bdi>${shown.toWellFormed()}</bdi>`;
}
