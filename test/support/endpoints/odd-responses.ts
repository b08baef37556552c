const ok = 'HTTP/1.1 200 OK\r\n';
const empty = 'Content-Length: 0\r\n\r\n';
const noStatusLine = 'the response does not begin with a status line of HTTP/1.1';
const badLength = 'the Content-Length of the response is no number';

interface OddResponses {
  /** The row of the subscribers' page, which completes "a response that …". */
  readonly row: string;
  /** Each with a title. */
  readonly heads: Readonly<Record<string, string>>;
}

/** Responses of which only lenient readers understand the head. Their status counts. */
export const toleratedResponses: readonly OddResponses[] = [
  { row: 'folds a header over several lines', heads: { 'a field is folded': `${ok}X: a\r\n b\r\n${empty}` } },
  { row: 'ends lines with LF alone', heads: { 'lines end with LF': 'HTTP/1.1 200 OK\nContent-Length: 0\n\n' } },
  {
    row: 'repeats `Content-Length`, or sends `Transfer-Encoding` beside it',
    heads: {
      'a length comes twice': `${ok}Content-Length: 0\r\n${empty}`,
      'it has two lengths': `${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      'its length is a list': `${ok}Content-Length: 0, 0\r\n\r\n`,
      'it has a length and chunks': `${ok}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    },
  },
  {
    row: 'has control characters or spaces where they do not belong',
    heads: {
      'a value holds a control character': `${ok}X: \x01\r\n${empty}`,
      'a name is no token': `${ok}X Y: z\r\n${empty}`,
      'a space comes before a colon': `${ok}Content-Length : 0\r\n\r\n`,
    },
  },
  {
    row: 'has more than 16 KiB of headers',
    heads: {
      'it has a header of 17 KB': `${ok}Server-Timing: ${'x'.repeat(17_000)}\r\n${empty}`,
      'it has 4,000 headers': `${ok}${Array.from({ length: 4000 }, (_, index) => `X-${index}: 1\r\n`).join('')}\r\n`,
    },
  },
];

interface RefusedResponses extends OddResponses {
  readonly message: string;
}

/** Responses that are none. */
export const refusedResponses: readonly RefusedResponses[] = [
  {
    row: 'begins with anything but a status line',
    message: noStatusLine,
    heads: {
      'it is HTTP/0.9': '<html>hello</html>\r\n',
      'its status is below 100': 'HTTP/1.1 099 Low\r\n\r\n',
      'its status has four digits': 'HTTP/1.1 2000 OK\r\n\r\n',
      'it is a request': 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n',
    },
  },
  {
    row: 'has a `Content-Length` that is no number',
    message: badLength,
    heads: {
      'its length is no number': `${ok}Content-Length: many\r\n\r\n`,
      'its length is negative': `${ok}Content-Length: -1\r\n\r\n`,
    },
  },
  {
    row: 'has a header without a colon',
    message: 'a line of the response head has no colon',
    heads: { 'a header has no colon': `${ok}no colon\r\n\r\n` },
  },
  {
    row: 'has a zero byte in its head',
    message: 'the response head holds a zero byte',
    heads: { 'a header holds a zero byte': `${ok}X: a\0b\r\n\r\n` },
  },
  {
    row: 'switches to another protocol (101)',
    message: 'the endpoint switched to another protocol (status 101)',
    heads: { 'its status is 101': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n' },
  },
];
