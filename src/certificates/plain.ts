import { isUtf8 } from 'node:buffer';
import { isObject } from '../lib/strict-json.ts';

/** A value of any format that JSON can represent. Null also stands for unset fields. */
export type Plain = null | boolean | number | string | RawJson | readonly Plain[] | PlainObject;

/** Fields in their order. A map if an object would move one of them, or take it for a prototype. */
export type PlainObject = PlainFields | ReadonlyMap<string, Plain>;

export interface PlainFields {
  readonly [name: string]: Plain;
}

const isSpecial = (name: string): boolean => /^(?:\d|__proto__$)/.test(name);

export function hasSpecialName(names: Iterable<string>): boolean {
  return Iterator.from(names).some(isSpecial);
}

export function plainObject(fields: ReadonlyMap<string, Plain>): PlainObject {
  return hasSpecialName(fields.keys()) ? fields : Object.fromEntries(fields);
}

export function isPlainObject(value: Plain): value is PlainObject {
  return isObject(value);
}

/** Returns an integer that keeps all its digits. */
export function plainInteger(value: number | bigint): Plain {
  return typeof value === 'number' ? value : JSON.rawJSON(String(value));
}

/** Returns null for numbers that JSON lacks, such as infinity. */
export function plainNumber(value: number): Plain {
  return Number.isFinite(value) ? value : null;
}

/** Serialises a value. `JSON.stringify` does the same and is faster, but can't write maps. */
export function toJson(value: Plain): string {
  if (isList(value)) return `[${value.map(toJson).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  return `{${Array.from(fieldsOf(value), ([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`).join(',')}}`;
}

export function hasMap(value: Plain): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isMap(value) || Object.values(value).some(hasMap);
}

export function withoutUnset(value: Plain): Plain {
  if (isPlainObject(value)) {
    const set = Array.from(fieldsOf(value)).filter(([, field]) => field !== null);
    return new Map(set.map(([name, field]) => [name, withoutUnset(field)]));
  }
  return isList(value) ? value.map(withoutUnset) : value;
}

export function fieldsOf(value: PlainObject): Iterable<readonly [name: string, field: Plain]> {
  return isMap(value) ? value : Object.entries(value);
}

export function fieldOf(value: PlainObject, name: string): Plain | undefined {
  return isMap(value) ? value.get(name) : value[name];
}

export function isMap(value: unknown): value is ReadonlyMap<string, Plain> {
  return value instanceof Map;
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
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
