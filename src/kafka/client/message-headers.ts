/** Headers by name, with a list for a name that has several values. */
export type Headers = Record<string, Buffer | string | (Buffer | string)[] | undefined>;

interface HeadersByName extends Headers {
  /** All names and values one after the other. Set if the properties would give back another order, or no null. */
  [inOrder]?: readonly Value[];
}

type Value = Buffer | string | null;

const inOrder = Symbol('headers in their order');
const noBytes = Buffer.alloc(0);

/** Returns headers from names and values. `visitHeaders` gives back exactly these. */
export function messageHeaders(headers: readonly (readonly [name: string, value: Value])[]): Headers {
  // Without a prototype, names such as `constructor` and `__proto__` are ordinary keys.
  const byName: HeadersByName = Object.create(null);
  let isFaithful = true;
  for (const [name, value] of headers) isFaithful = addHeader(byName, name, value) && isFaithful;
  if (!isFaithful) byName[inOrder] = headers.flat();
  return byName;
}

/** Adds a header. Returns false if the properties alone would not give it back, or not in its place. */
function addHeader(headers: HeadersByName, name: string, value: Value): boolean {
  const before = headers[name];
  if (before === undefined) {
    headers[name] = value ?? noBytes;
    return value !== null && !startsWithDigit(name);
  }
  if (Array.isArray(before)) before.push(value ?? noBytes);
  else headers[name] = [before, value ?? noBytes];
  return false;
}

/** Objects list names such as `10` before all others. */
function startsWithDigit(name: string): boolean {
  const code = name.charCodeAt(0);
  return code >= zero && code <= nine;
}

const [zero, nine] = [0x30, 0x39];

/**
 * Calls `visit` for each value of each header. A list of pairs would be simpler, but half of the garbage of writing a retry
 * came from the pairs of its seventeen headers.
 */
export function visitHeaders(headers: HeadersByName, visit: (name: string, value: Value) => void): void {
  const fields = headers[inOrder];
  if (fields === undefined) visitByName(headers, visit);
  else for (let index = 0; index < fields.length; index += 2) visit(String(fields[index]), fields[index + 1] ?? null);
}

function visitByName(headers: Headers, visit: (name: string, value: Buffer | string) => void): void {
  Object.keys(headers).forEach((name) => {
    const value = headers[name];
    if (Array.isArray(value)) value.forEach((one) => visit(name, one));
    else if (value !== undefined) visit(name, value);
  });
}
