import type { IHeaders } from 'kafkajs';

/** Headers as in kafkajs: by name, with a list for a name that has several values. */
type HeadersByName = Record<string, Value | Value[]>;
type Value = Buffer | string;

export function messageHeaders(headers: readonly (readonly [name: string, value: Value])[]): IHeaders {
  const byName = emptyHeaders();
  headers.forEach(([name, value]) => addHeader(byName, name, value));
  return byName;
}

/** Returns an object without a prototype, so that names such as `constructor` and `__proto__` are ordinary keys. */
export function emptyHeaders(): HeadersByName {
  const none: HeadersByName = Object.create(null);
  return none;
}

export function addHeader(headers: HeadersByName, name: string, value: Value): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else headers[name] = [before, value];
}

/**
 * Calls `visit` for each value of each header. A list of pairs would be simpler, but half of the garbage of writing a retry
 * came from the pairs of its seventeen headers.
 */
export function visitHeaders(headers: IHeaders, visit: (name: string, value: Value) => void): void {
  Object.keys(headers).forEach((name) => {
    const value = headers[name];
    if (Array.isArray(value)) value.forEach((one) => visit(name, one));
    else if (value !== undefined) visit(name, value);
  });
}
