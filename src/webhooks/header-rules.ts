import { isObject } from '../lib/strict-json.ts';
import { authenticationHeader, type Authentication } from './webhook.ts';

/**
 * Limits for one webhook, the authentication header included. The bytes are those of names and values. They bound a
 * request's header section and the memory that a configuration takes.
 */
export const headerLimits = { count: 64, bytes: 8 * 1024 } as const;

interface CustomHeaders {
  /** Usable only when there are no problems. */
  readonly headers: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

export function readCustomHeaders(customHeaders: unknown, authentication: Authentication): CustomHeaders {
  if (customHeaders !== undefined && !isObject(customHeaders)) {
    return { headers: {}, problems: ['customHeaders: must be an object of strings'] };
  }
  const entries: readonly Entry[] = Object.entries(customHeaders ?? {});
  const header = authenticationHeader(authentication);
  // Entries beyond the limit are not checked one by one: the problem with their number says enough.
  const checked = entries.slice(0, headerLimits.count);
  const problems = [
    ...checked.flatMap(entryProblems),
    ...clashProblems(checked, header?.[0]),
    ...limitProblems(header === undefined ? entries : [header, ...entries]),
  ];
  return { headers: toRecord(entries), problems };
}

type Entry = readonly [name: string, value: unknown];

/** Creates a record without a prototype, in which `__proto__` is an ordinary name. */
function toRecord(entries: readonly Entry[]): Readonly<Record<string, string>> {
  const record: Record<string, string> = Object.create(null);
  for (const [name, value] of entries) if (typeof value === 'string') record[name] = value;
  return record;
}

function entryProblems([name, value]: Entry, index: number): readonly string[] {
  const problems = { 'the name': headerNameProblem(name), 'the value': headerValueProblem(value) };
  return Object.entries(problems).flatMap(([part, problem]) =>
    problem === undefined ? [] : [`${describe(name, index)}: ${part} ${problem}`],
  );
}

function headerValueProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return printableAscii.test(value) ? undefined : 'must be printable ASCII';
}

/** Compares names without regard to case (RFC 9110, section 5.1). */
function clashProblems(entries: readonly Entry[], authenticationName: string | undefined): readonly string[] {
  const taken = new Set([authenticationName?.toLowerCase()]);
  return entries.flatMap(([name], index) => {
    const lowerCase = name.toLowerCase();
    const isTaken = taken.has(lowerCase);
    taken.add(lowerCase);
    return isTaken ? [`${describe(name, index)}: the name, in any case, must not be another header's too`] : [];
  });
}

function limitProblems(headers: readonly Entry[]): readonly string[] {
  const bytes = headers.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
  const all = 'customHeaders: together with the authentication header they must not exceed';
  return [
    ...(headers.length > headerLimits.count ? [`${all} ${headerLimits.count} headers`] : []),
    ...(bytes > headerLimits.bytes ? [`${all} ${headerLimits.bytes} bytes`] : []),
  ];
}

function valueBytes(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

/** Names a header by its name if that is a valid one. Any other text may be a credential and is not repeated. */
function describe(name: string, index: number): string {
  return token.test(name) ? `customHeaders.${name.slice(0, 64)}` : `customHeaders, entry ${index + 1}`;
}

/** A token by RFC 9110, section 5.6.2. */
export const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Narrower than RFC 9110, because receivers disagree on how to read tabs and bytes above 126. */
export const printableAscii = /^[\x20-\x7e]*$/;

/**
 * Names in lower case that subscribers may not set. These headers frame the request or belong to the connection, so this
 * service or the HTTP client sets them.
 */
export const refusedNames: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
]);
const refusedPrefix = 'proxy-';

/** Returns why a subscriber may not set a header of that name, or undefined if it may. */
export function headerNameProblem(name: string): string | undefined {
  if (!token.test(name)) return 'must be an RFC 9110 token';
  const lowerCase = name.toLowerCase();
  const isRefused = refusedNames.has(lowerCase) || lowerCase.startsWith(refusedPrefix);
  return isRefused ? 'must not be a header that frames the request or belongs to the connection' : undefined;
}
