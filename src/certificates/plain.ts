/** A value of any format that JSON can represent. 64-bit integers keep all digits. Null also stands for unset fields. */
export type Plain = null | boolean | number | bigint | string | ExactNumber | readonly Plain[] | PlainObject;

/** Fields in their order. A map, because names such as `__proto__` and `1` have a special meaning in objects. */
export type PlainObject = ReadonlyMap<string, Plain>;

/** A number as the text that JSON shows. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

export function isPlainObject(value: Plain): value is PlainObject {
  return value instanceof Map;
}

/** Serialises a value. Numbers that JSON lacks, such as infinity, become null. */
export function toJson(value: Plain): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof ExactNumber) return value.digits;
  if (isPlainObject(value)) {
    return `{${Array.from(value, ([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`).join(',')}}`;
  }
  if (isList(value)) return `[${value.map(toJson).join(',')}]`;
  return JSON.stringify(value);
}

export function withoutUnset(value: Plain): Plain {
  if (isPlainObject(value)) {
    const set = Array.from(value).filter(([, field]) => field !== null);
    return new Map(set.map(([name, field]) => [name, withoutUnset(field)]));
  }
  return isList(value) ? value.map(withoutUnset) : value;
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
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
