import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseFilter } from '../../../src/http/response/response-head.ts';
import { costAgainst } from '../../support/time/processor-time.ts';

/** Returns what passes the filter, or the code with which it refuses. */
function pass(...pieces: readonly string[]): string {
  const filter = new ResponseFilter();
  filter.begin();
  let passed = '';
  for (const piece of pieces) {
    const result = filter.filter(Buffer.from(piece, 'latin1'));
    if (result instanceof Error) return result.code;
    passed += result?.toString('latin1') ?? '';
  }
  return passed;
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const closing = 'HTTP/1.1 200 -\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** Interim responses as servers write them. */
const interim = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 100\r\n\r\n',
  'HTTP/1.0 100 Continue\r\n\r\n',
  'HTTP/1.1 100 Continue\n\n',
  'HTTP/1.1 102 Processing\r\nDate: today\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\nLink: </a.js>\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: a,\r\n b\r\n\r\n',
  '\r\nHTTP/1.1 100 Continue\r\n\r\n\r\n',
] as const;

describe('a response', () => {
  it('is passed on as it came, with what follows', () => {
    expect(pass(ok, 'more')).toBe(`${ok}more`);
  });

  it.each([
    ['a folded field', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok'],
    ['a field folded with a tab', 'HTTP/1.1 200 OK\r\nX: a\r\n\tb\r\n\r\nok'],
    ['a bare LF and a fold', 'HTTP/1.1 200 OK\nX: a\n  b\n\nok'],
    ['bare LFs', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
    ['two equal lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'],
    ['two different lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok'],
    ['a coding beside a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok'],
    ['an unknown coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\nok'],
    ['a control character', 'HTTP/1.1 200 OK\r\nX: \x01\r\n\r\nok'],
    ['a control character in a name', 'HTTP/1.1 200 OK\r\nX\x01: a\r\n\r\nok'],
    ['a name of two words', 'HTTP/1.1 200 OK\r\nX Y: a\r\n\r\nok'],
    ['a space before a colon', 'HTTP/1.1 200 OK\r\nX : a\r\n\r\nok'],
    ['no name', 'HTTP/1.1 200 OK\r\n: a\r\n\r\nok'],
    ['17 KB of timings', `HTTP/1.1 200 OK\r\nServer-Timing: ${'db;dur=53, '.repeat(1600)}\r\n\r\nok`],
    ['two spaces before its status', 'HTTP/1.1  200 OK\r\n\r\nok'],
    ['small letters in its first word', 'http/1.1 200 OK\r\n\r\nok'],
    ['the name of HTTP/2', 'HTTP/2 200\r\n\r\nok'],
  ])('with %s settles by its status, and closes the connection', (_what, response) => {
    expect(pass(response, ok)).toBe(closing);
  });

  it('that is irregular keeps what says when to try again', () => {
    const head = 'HTTP/1.1 503 Busy\nRetry-After: 12\x070\nDate: Sat, 21 Nov 2026 12:01:30 GMT\n\n';
    expect(pass(head)).toBe(
      'HTTP/1.1 503 -\r\ncontent-length: 0\r\nconnection: close\r\n' +
        'retry-after: 120\r\ndate: Sat, 21 Nov 2026 12:01:30 GMT\r\n\r\n',
    );
  });

  it.each([
    ['{"received":true}', 'NO_STATUS_LINE'],
    ['HTP/1.1 200 OK\r\n\r\n', 'NO_STATUS_LINE'],
    ['HTTP/1.1 20 OK\r\n\r\n', 'NO_STATUS_LINE'],
    ['HTTP/1.1 2000 OK\r\n\r\n', 'NO_STATUS_LINE'],
    ['HTTP/1.1 099 OK\r\n\r\n', 'NO_STATUS_LINE'],
    ['HTTP/1.1 OK\r\n\r\n', 'NO_STATUS_LINE'],
    ['HTTP/3.1 200 OK\r\n\r\n', 'NO_STATUS_LINE'],
    ['ICY 200 OK\r\n\r\n', 'NO_STATUS_LINE'],
    ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', 'SWITCHED_PROTOCOLS'],
    ['HTTP/1.1 200 OK\r\nX: a\0\r\n\r\n', 'NUL_IN_HEAD'],
    ['HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'LINE_WITHOUT_COLON'],
    ['HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n', 'BAD_CONTENT_LENGTH'],
    ['HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 'BAD_CONTENT_LENGTH'],
    ['HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n', 'BAD_CONTENT_LENGTH'],
  ])('%j is refused: %s', (response, code) => {
    expect(pass(response)).toBe(code);
    expect(pass(...Array.from(response))).toBe(code);
  });

  it('is refused with its first byte when it is none, before its head ends', () => {
    expect(pass('x')).toBe('NO_STATUS_LINE');
    expect(pass('HTTX')).toBe('NO_STATUS_LINE');
  });
});

describe('a head that ends with the connection', () => {
  const atEnd = (text: string): string | undefined => {
    const filter = new ResponseFilter();
    filter.begin();
    filter.filter(Buffer.from(text, 'latin1'));
    return filter.end()?.toString('latin1');
  };

  it.each([
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 200 OK\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n',
    'HTTP/1.1 200 OK\r\nContent-Len',
    'HTTP/1.1 200 OK\r\nContent-Length: x',
    'HTTP/1.1 200 OK\r\nX: a\r\n b',
    `${interim[0]}HTTP/1.1 200 OK\r\n`,
  ])('settles by its status, which is on a whole line: %j', (text) => {
    expect(atEnd(text)).toBe(closing);
  });

  it.each([
    '',
    'HTTP/1.1 200 OK',
    'HTTP/1.1 200 OK\r',
    'HTTP/1.1 100 Continue\r\n',
    interim[0],
    `${interim[0]}HTTP/1.1 200`,
    'HTTP/1.1 101 Switching Protocols\r\n',
    'HTTP/1.1 200 OK\r\nno colon\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: x\r\n',
  ])('is none without a status for us, or with a line that is refused: %j', (text) => {
    expect(atEnd(text)).toBeUndefined();
  });

  it('keeps what says when to try again, and leaves a whole response as it is', () => {
    expect(atEnd('HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nDate')).toContain('retry-after: 7\r\n');
    expect([atEnd(ok), atEnd('HTTP/1.1 200 OK\n\n')]).toEqual([undefined, undefined]);
  });
});

describe('interim responses', () => {
  it('are dropped in every sequence, however they are cut', () => {
    const sequences = fc.array(fc.constantFrom(...interim), { maxLength: 16 });
    const finals = fc.constantFrom(
      ok,
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n',
    );
    fc.assert(
      fc.property(sequences, finals, fc.array(fc.nat(400), { maxLength: 12 }), (sequence, final, cuts) => {
        const text = sequence.join('') + final;
        const places = [
          0,
          ...cuts.filter((cut) => cut < text.length).toSorted((one, other) => one - other),
          text.length,
        ];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(pass(...pieces)).toBe(final);
      }),
    );
  });

  it.each(interim)('are dropped when each byte comes alone: %j', (one) => {
    expect(pass(...Array.from(`${one}${interim[5]}${ok}`))).toBe(ok);
  });

  it('are refused when there are more than 16', () => {
    expect(pass(interim[0].repeat(16), ok)).toBe(ok);
    expect(pass(interim[0].repeat(17), ok)).toBe('TOO_MANY_INTERIM_RESPONSES');
  });
});

it('takes time in proportion to the bytes, in whatever pieces they come', () => {
  const parts = (lines: number): readonly string[] => [
    '\r\n'.repeat(lines),
    'HTTP/1.1 200 OK\r\n',
    'X: y\r\n'.repeat(lines),
    `X:${' '.repeat(2 * lines)}`,
  ];
  const filterBytes = (lines: number) => (): void => {
    const filter = new ResponseFilter();
    filter.begin();
    for (const text of parts(lines)) for (const byte of Buffer.from(text)) filter.filter(Buffer.of(byte));
  };
  // Ten times as many bytes. Copying or searching all of them for each piece takes a hundred times as long.
  expect(costAgainst(filterBytes(3000), filterBytes(30_000))).toBeLessThan(50);
});
