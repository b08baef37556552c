/** A response head as a lenient reader understands it. */
export type ParsedHead =
  /** All readers of HTTP/1.1 understand it in the same way. */
  | { readonly kind: 'regular'; readonly status: number }
  /** Only lenient readers understand it, so the end of its body is uncertain. */
  | {
      readonly kind: 'irregular';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly date: string | undefined;
    }
  | { readonly kind: 'refused'; readonly fault: HeadFault };

/** The reasons to refuse a response head. Lenient readers refuse it for them too. */
export type HeadFault =
  'NO_STATUS_LINE' | 'SWITCHED_PROTOCOLS' | 'NUL_IN_HEAD' | 'LINE_WITHOUT_COLON' | 'BAD_CONTENT_LENGTH';

/**
 * Parses a response head, from its status line to its empty line, as leniently as curl. Lines may end with a bare LF, be
 * folded, have spaces before the colon, hold control characters, and contradict each other.
 */
export function parseHead(head: string): ParsedHead {
  const status = statusOf(head);
  if (status === undefined) return refused('NO_STATUS_LINE');
  if (status === 101) return refused('SWITCHED_PROTOCOLS');
  return isRegular(head) ? { kind: 'regular', status } : parseIrregular(head, status);
}

/** Servers that translate from a newer version sometimes keep its name. */
const statusLine = /^HTTP\/(?:1\.[01]|[23]) +[1-9]\d\d(?!\d)/i;

function statusOf(head: string): number | undefined {
  if (!statusLine.test(head)) return undefined;
  // The first space of a status line comes right after the version. `parseInt` skips spaces, and stops behind the digits.
  return Number.parseInt(head.slice(head.indexOf(' ')), 10);
}

/** The longest head that undici takes. */
const longestRegular = 16 * 1024;

/** A head as RFC 9112 defines it. No two parts of the expression match the same text, so it takes linear time. */
const regular = /^HTTP\/1\.[01] \d{3}(?: [\t -~\x80-\xff]*)?\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t -~\x80-\xff]*\r\n)*\r\n$/;

/** The fields that say where the body ends, and the only values that leave no doubt. */
const bodyField = /\n(?:content-length|transfer-encoding):/i;
const certainBodyField = /\n(?:content-length:[ \t]*\d{1,15}|transfer-encoding:[ \t]*chunked)[ \t]*\r/i;

function isRegular(head: string): boolean {
  if (head.length > longestRegular || !regular.test(head)) return false;
  const first = head.search(bodyField);
  if (first === -1) return true;
  return head.slice(first + 1).search(bodyField) === -1 && certainBodyField.test(head);
}

function parseIrregular(head: string, status: number): ParsedHead {
  if (head.includes('\0')) return refused('NUL_IN_HEAD');
  const [, ...lines] = head
    .trimEnd()
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/);
  if (lines.some((line) => !line.includes(':'))) return refused('LINE_WITHOUT_COLON');
  const fields = lines.map(nameAndValue);
  // A response with status 204 has no body, so its length does not matter.
  const isBadLength = fields.some(([name, value]) => name === 'content-length' && !/^\d/.test(value));
  if (isBadLength && status !== 204) return refused('BAD_CONTENT_LENGTH');
  const first = (wanted: string): string | undefined => fields.find(([name]) => name === wanted)?.[1];
  return { kind: 'irregular', status, retryAfter: first('retry-after'), date: first('date') };
}

function nameAndValue(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

function refused(fault: HeadFault): ParsedHead {
  return { kind: 'refused', fault };
}
