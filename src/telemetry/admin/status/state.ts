import { html, type Html, type Part } from './html.ts';

export type Tone = 'good' | 'fair' | 'bad';

/** A state in words; its mark differs in shape and colour. */
export function state(tone: Tone, words: Part): Html {
  return html`<span class="state ${tone}">${words}</span>`;
}
