import { html, type Html, type Content } from './html.ts';

export type Tone = 'good' | 'fair' | 'bad';

/** Shows a state in words, with a mark that differs in shape and color. */
export function state(tone: Tone, words: Content): Html {
  return html`<span class="state ${tone}">${words}</span>`;
}
