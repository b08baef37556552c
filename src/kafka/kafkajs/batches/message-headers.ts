import type { IHeaders } from 'kafkajs';
import type { Field } from './record-writer.ts';

/** Headers as in kafkajs: by name, with a list for a name that has several values. */
interface HeadersByName extends IHeaders {
  /** All names and values one after the other. Set if the properties would give back another order, or no null. */
  [inOrder]?: readonly Field[];
}

const inOrder = Symbol('headers in their order');
const noBytes = Buffer.alloc(0);

export function messageHeaders(headers: readonly (readonly [name: string, value: Buffer | string | null])[]): IHeaders {
  return headersOf(headers.flat());
}

/** Returns headers from their names and values, one after the other. `visitHeaders` gives back exactly these. */
export function headersOf(fields: readonly Field[]): IHeaders {
  // Without a prototype, names such as `constructor` and `__proto__` are ordinary keys.
  const headers: HeadersByName = Object.create(null);
  let isFaithful = true;
  for (let index = 0; index < fields.length; index += 2) {
    const [name, value] = [String(fields[index]), fields[index + 1]];
    if (value === null || name in headers || isIndexLike(name)) isFaithful = false;
    addHeader(headers, name, value ?? noBytes);
  }
  if (!isFaithful) headers[inOrder] = fields;
  return headers;
}

/** Objects list names such as `10` before all others. */
function isIndexLike(name: string): boolean {
  return /^\d/v.test(name);
}

function addHeader(headers: HeadersByName, name: string, value: Buffer | string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else headers[name] = [before, value];
}

/**
 * Calls `visit` for each value of each header. A list of pairs would be simpler, but half of the garbage of writing a retry
 * came from the pairs of its seventeen headers.
 */
export function visitHeaders(
  headers: HeadersByName,
  visit: (name: string, value: Buffer | string | null) => void,
): void {
  const fields = headers[inOrder];
  if (fields === undefined) visitByName(headers, visit);
  else for (let index = 0; index < fields.length; index += 2) visit(String(fields[index]), fields[index + 1] ?? null);
}

function visitByName(headers: IHeaders, visit: (name: string, value: Buffer | string) => void): void {
  Object.keys(headers).forEach((name) => {
    const value = headers[name];
    if (Array.isArray(value)) value.forEach((one) => visit(name, one));
    else if (value !== undefined) visit(name, value);
  });
}
