import type { Verdict } from './verdict.ts';

/** A mark for the tab, which differs in shape as well as in colour. */
export function icon(tone: Verdict['tone']): string {
  const mark =
    tone === 'good'
      ? '<circle cx="8" cy="8" r="8" fill="#1a7f37"/><path d="M4.5 8.5 7 11l4.5-5.5"'
      : '<path d="M8 0 16 8 8 16 0 8z" fill="#c62828"/><path d="M8 4.5v4m0 2.2v.3"';
  const style = 'fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${mark} ${style}/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
