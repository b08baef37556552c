import { html, type Content, type Html } from './html.ts';

const numberFormat = new Intl.NumberFormat('en');

/** Formats a number with thousands separators: `12,041`. */
export function count(number: number): string {
  return numberFormat.format(number);
}

/** Formats a number with its noun: `1 endpoint`, `12,041 endpoints`. */
export function pluralized(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** Formats bytes with three significant digits: `640 KiB`, `1.2 MiB`. */
export function bytes(number: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(1, number)) / 10), units.length - 1);
  return `${Number((number / 1024 ** power).toPrecision(3))} ${units[power]}`;
}

const seconds = { min: 60, h: 3600, d: 86_400 };

/** Formats a duration in its one or two largest units: `12 s`, `3 min`, `2 h 10 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  const total = Math.round(Math.abs(ms) / 1000);
  if (total < seconds.min) return `${total} s`;
  if (total < seconds.h) return `${Math.floor(total / seconds.min)} min`;
  if (total < seconds.d)
    return pair([Math.floor(total / seconds.h), 'h'], [Math.floor((total % seconds.h) / seconds.min), 'min']);
  return pair([Math.floor(total / seconds.d), 'd'], [Math.floor((total % seconds.d) / seconds.h), 'h']);
}

export function timeFromNow(at: number, now: number): Html {
  const distance = at > now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`;
  return html`${distance} <time datetime="${isoTime(at)}">${clockTime(at, now)}</time>`;
}

/** Formats a UTC time of today as `12:00:05`, and any other as `2026-11-20 12:00:05`. */
export function clockTime(at: number, now: number): string {
  const [day, time] = utc(at).split(' ');
  return day === utc(now).split(' ')[0] ? `${time}` : utc(at);
}

/** Formats a UTC time as `2026-11-21 12:00:05`. */
export function utc(at: number): string {
  return isoTime(at).replace('T', ' ').replace(/\..*$/, '');
}

/** Formats a time as ISO 8601. A producer may set any timestamp, so it is limited to the range of `Date`. */
export function isoTime(at: number): string {
  const longest = 8.64e15;
  return new Date(Math.max(-longest, Math.min(at, longest))).toISOString();
}

type Amount = readonly [number: number, unit: string];

function pair([large, largeUnit]: Amount, [small, smallUnit]: Amount): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

export type Tone = 'good' | 'fair' | 'bad';

/** Shows a state in words, with a mark that differs in shape and color. */
export function state(tone: Tone, words: Content): Html {
  return html`<span class="state ${tone}">${words}</span>`;
}
