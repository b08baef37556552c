/** A value of any format, as JSON can say it. Whole numbers of 64 bits keep all their digits, null is also what is unset. */
export type Plain = null | boolean | number | bigint | string | ExactNumber | readonly Plain[] | PlainObject;

/** Fields in their order; a map, because names such as `__proto__` and `1` mean something to an object. */
export type PlainObject = ReadonlyMap<string, Plain>;

/** A number by its digits, as JSON writes it. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

export function isPlainObject(value: Plain): value is PlainObject {
  return value instanceof Map;
}

/** What is no number to JSON, such as infinity, is null. */
export function toJson(value: Plain): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof ExactNumber) return value.digits;
  if (isPlainObject(value)) {
    return `{${Array.from(value, ([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`).join(',')}}`;
  }
  if (isList(value)) return `[${value.map(toJson).join(',')}]`;
  return JSON.stringify(value);
}

/** Without the fields that are unset, at any depth. */
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
