import { html, type Html } from './html.ts';

const numberFormat = new Intl.NumberFormat('en');

/** With thousands apart: 12,041. */
export function count(number: number): string {
  return numberFormat.format(number);
}

/** With its noun: `1 endpoint`, `12,041 endpoints`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** To be read at a glance, not to be reckoned with: `640 KiB`, `1.2 MiB`. */
export function bytes(number: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(1, number)) / 10), units.length - 1);
  return `${Number((number / 1024 ** power).toPrecision(3))} ${units[power]}`;
}

const seconds = { min: 60, h: 3600, d: 86_400 };

/** In its two largest units: `12 s`, `3 min`, `2 h 10 min`, `3 d 4 h`. */
export function span(ms: number): string {
  const total = Math.round(Math.abs(ms) / 1000);
  if (total < seconds.min) return `${total} s`;
  if (total < seconds.h) return `${Math.floor(total / seconds.min)} min`;
  if (total < seconds.d) return pair([Math.floor(total / seconds.h), 'h'], [minutesOf(total), 'min']);
  return pair([Math.floor(total / seconds.d), 'd'], [Math.floor((total % seconds.d) / seconds.h), 'h']);
}

/** How far away it is, and when. */
export function moment(at: number, now: number): Html {
  const away = at > now ? `in ${span(at - now)}` : `${span(now - at)} ago`;
  return html`${away} <time datetime="${isoTime(at)}">${clockTime(at, now)}</time>`;
}

/** `12:00:05`, and on another day than today `2026-11-20 12:00:05`. All times are UTC. */
export function clockTime(at: number, now: number): string {
  const [day, time] = utc(at).split(' ');
  return day === utc(now).split(' ')[0] ? `${time}` : utc(at);
}

/** `2026-11-21 12:00:05`. */
export function utc(at: number): string {
  return isoTime(at).replace('T', ' ').replace(/\..*$/, '');
}

/** Whoever writes a record may write any number on it for a time: one that is too large comes to the last day there is. */
export function isoTime(at: number): string {
  const longest = 8.64e15;
  return new Date(Math.max(-longest, Math.min(at, longest))).toISOString();
}

type Amount = readonly [number: number, unit: string];

function pair([large, largeUnit]: Amount, [small, smallUnit]: Amount): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function minutesOf(total: number): number {
  return Math.floor((total % seconds.h) / seconds.min);
}
