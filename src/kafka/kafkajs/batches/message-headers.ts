import type { IHeaders } from 'kafkajs';

/** Headers as kafkajs has them: by name, and in a list where a name has several values. */
type HeadersByName = Record<string, Value | Value[]>;
type Value = Buffer | string;

export function messageHeaders(headers: readonly (readonly [name: string, value: Value])[]): IHeaders {
  const byName = emptyHeaders();
  headers.forEach(([name, value]) => addHeader(byName, name, value));
  return byName;
}

/** Without a prototype, so that any name is just a name: `constructor` and `__proto__`, too. */
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

/** They are visited and not listed: with a pair for each, half of the garbage of a retry was of its seventeen headers. */
export function visitHeaders(headers: IHeaders, visit: (name: string, value: Value) => void): void {
  Object.keys(headers).forEach((name) => {
    const value = headers[name];
    if (Array.isArray(value)) value.forEach((one) => visit(name, one));
    else if (value !== undefined) visit(name, value);
  });
}
