import { isUtf8 } from 'node:buffer';
import { isObject } from '../lib/strict-json.ts';

/** A value of any format as `JSON.stringify` writes it. Null also stands for unset fields. */
export type Plain = null | boolean | number | string | RawJson | readonly Plain[] | PlainObject;

/** Fields in their order, by what `fieldName` returns. */
export interface PlainObject {
  readonly [name: string]: Plain;
}

/** Names that an object would move, or take for its prototype. */
const special = /^(?:\d|__proto__$|\uDFFF)/;
/** The mark of a special name in JSON. Half a surrogate pair has no UTF-8, so no text of a record begins with it. */
const markOfName = /(?<=[{,]")\\udfff/g;

/** Returns the name of the property that `toJson` writes with this name. */
export function fieldName(name: string): string {
  return special.test(name) ? `\uDFFF${name}` : name;
}

export function toJson(value: Plain): string {
  const json = JSON.stringify(value);
  return json.includes('\\udfff') ? json.replaceAll(markOfName, '') : json;
}

export function withoutUnset(value: Plain): Plain {
  if (Array.isArray(value)) return value.map(withoutUnset);
  if (!isObject(value)) return value;
  const set = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(set.map(([name, field]) => [name, withoutUnset(field)]));
}

/** Returns an integer with all its digits. */
export function plainInteger(value: number | bigint): Plain {
  return typeof value === 'number' ? value : JSON.rawJSON(String(value));
}

/** Returns NaN for all numbers that JSON lacks. It is written as null, but is not unset. */
export function plainNumber(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}

/** Returns the text of bytes, or undefined if they are not UTF-8. */
export function utf8Text(bytes: Buffer, start: number, end: number): string | undefined {
  const text = bytes.toString('utf8', start, end);
  return text.includes('\uFFFD') && !isUtf8(bytes.subarray(start, end)) ? undefined : text;
}

/** Significant digits that distinguish all 32-bit floats. */
const distinctDigits = 9;

/**
 * Returns the number with the fewest digits that reads back as this 32-bit float, so that 0.1 is not written as
 * 0.10000000149011612. Values without digits, such as NaN, are returned as they are.
 */
export function shortestFloat(value: number): number {
  for (let digits = 1; digits < distinctDigits; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(distinctDigits));
}
