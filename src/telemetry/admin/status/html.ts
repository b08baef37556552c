/** What may stand in markup: text is escaped, markup is not. */
export type Part = Html | string | number | undefined | readonly Part[];

/** Markup that is safe to send, because `html` alone makes it from what comes from outside. */
export class Html {
  readonly #markup: string;

  /** Takes the markup as it is: for constants. */
  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** A tag for templates. Attributes have to stand in quotes. */
export function html(markup: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: markup }, ...parts.map(markupOf)));
}

function markupOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.map(markupOf).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** The most of a text from outside that is shown; of a longer one the middle is left out. */
const longestText = 80;

/** A text from outside in one line: nothing in it is invisible, turns its surroundings round or takes up the page. */
export function legible(text: string): Html {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  const shown = line.length > longestText ? `${line.slice(0, longestText / 2)}…${line.slice(-longestText / 4)}` : line;
  return html`<bdi>${shown.toWellFormed()}</bdi>`;
}
