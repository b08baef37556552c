import { gzipSync } from 'node:zlib';
import type { RequestOutcome } from '../../../../src/deliveries/outcome.ts';
import type { Random } from '../../../simulation/random.ts';

/** A response that an endpoint should not send, and the outcomes that it may lead to. */
export interface HostileResponse {
  readonly kind: string;
  /** The chunks, each written in its own turn of the event loop. */
  readonly chunks: readonly Buffer[];
  /** `drip` repeats the last chunk until the connection closes. */
  readonly ending: 'keep' | 'end' | 'reset' | 'hang' | 'drip';
  /** True if the answer is sent before the body of the request, which is large, has arrived. */
  readonly early?: boolean;
  /** All outcomes that are allowed. */
  readonly outcomes: readonly RequestOutcome['kind'][];
}

export function generateResponse(random: Random): HostileResponse {
  return random.weighted(generators)(random);
}

type Generator = (random: Random) => HostileResponse;

/**
 * The kinds of responses with their weights. Those that keep the connection usable have most, because handshakes take
 * long.
 */
const generators: readonly [readonly [Generator, number], ...(readonly [Generator, number])[]] = [
  [oddStatus, 12],
  [oddHeaders, 10],
  [interimStorm, 8],
  [chunkedTwist, 8],
  [compressedBomb, 5],
  [inCrumbs, 5],
  [fromTheNineties, 3],
  [lengthLie, 4],
  [brokenChunks, 4],
  [brokenHead, 4],
  [largeHead, 2],
  [surplus, 2],
  [endlessBody, 2],
  [endlessHead, 1],
  [silence, 4],
  [early, 2],
  [noise, 6],
  [damaged, 8],
];

const decided = ['delivered', 'http_error'] as const;
const unusable = ['protocol_error', 'connection_lost'] as const;

function oddStatus(random: Random): HostileResponse {
  const status = random.between(200, 999);
  const bodiless = status === 204 || status === 304;
  const ending = bodiless ? '\r\n' : 'Content-Length: 2\r\n\r\n{}';
  const reason = random.pick(['OK', '', 'No Reason At All', 'ünïcödé', '200 OK']);
  return {
    kind: 'an odd status',
    chunks: [Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${ending}`, 'latin1')],
    ending: 'keep',
    outcomes: [status < 300 ? 'delivered' : 'http_error'],
  };
}

function oddHeaders(random: Random): HostileResponse {
  const headers = Array.from({ length: random.between(1, 30) }, (_, index) =>
    random.pick([
      `X-${index}: ${'x'.repeat(random.between(0, 300))}`,
      `Retry-After: ${random.pick(['-1', '9'.repeat(40), 'never', 'Sat, 99 Foo 2026', '1e9', ''])}`,
      'Set-Cookie: a=b; Domain=.',
      `Location: ${random.pick(['https://a.test/', 'file:///etc/passwd', '//', 'javascript:1'])}`,
      'Date: yesterday',
      'Keep-Alive: timeout=86400, max=0',
      '__proto__: polluted',
      'constructor: polluted',
    ]),
  );
  return {
    kind: 'odd headers',
    chunks: [Buffer.from(`HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`)],
    ending: 'keep',
    outcomes: ['delivered'],
  };
}

function interimStorm(random: Random): HostileResponse {
  const code = random.pick([100, 102, 103]);
  const count = random.between(1, 40);
  const interim = Buffer.from(`HTTP/1.1 ${code} Interim\r\n\r\n`.repeat(count));
  return {
    kind: 'a storm of interim responses',
    chunks: split(Buffer.concat([interim, Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')]), random, 12),
    ending: 'keep',
    outcomes: [count <= 16 ? 'delivered' : 'protocol_error'],
  };
}

function chunkedTwist(random: Random): HostileResponse {
  const sizes = Array.from({ length: random.between(1, 8) }, () => random.between(1, 200));
  const chunks = sizes.map((size) => {
    const hex = random.chance(0.5) ? size.toString(16).toUpperCase() : size.toString(16).padStart(6, '0');
    const extension = random.pick(['', ';a=b', ';a="x"', ';q']);
    return `${hex}${extension}\r\n${'c'.repeat(size)}\r\n`;
  });
  const trailers = random.pick(['', 'X-Trailer: 1\r\n', 'Content-Length: 5\r\n']);
  return {
    kind: 'chunks with a twist',
    chunks: [
      Buffer.from(`HTTP/1.1 201 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n${trailers}\r\n`),
    ],
    ending: 'keep',
    outcomes: ['delivered'],
  };
}

const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));

function compressedBomb(random: Random): HostileResponse {
  const encoding = random.pick(['gzip', 'deflate', 'br', 'gzip, gzip, gzip', 'zstd', 'x-unknown']);
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n\r\n`;
  return { kind: 'a compressed bomb', chunks: [Buffer.from(head), bomb], ending: 'keep', outcomes: ['delivered'] };
}

function inCrumbs(random: Random): HostileResponse {
  const whole = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: y\r\n\r\n{}');
  return { kind: 'crumbs', chunks: split(whole, random, 12), ending: 'keep', outcomes: ['delivered'] };
}

function fromTheNineties(random: Random): HostileResponse {
  const head = random.pick(['HTTP/1.0 200 OK\r\n\r\n', 'HTTP/1.0 404 Nope\r\n\r\n', '<html>hello</html>', 'OK']);
  return {
    kind: 'HTTP/1.0 or 0.9',
    chunks: [Buffer.from(`${head}text`)],
    ending: 'end',
    outcomes: head.startsWith('HTTP') ? decided : unusable,
  };
}

function lengthLie(random: Random): HostileResponse {
  const length = random.between(3, 20_000);
  return {
    kind: 'a length that is not kept',
    chunks: [Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n{}`)],
    ending: random.pick(['end', 'reset', 'hang']),
    outcomes: ['delivered', 'connection_lost'],
  };
}

function brokenChunks(random: Random): HostileResponse {
  const nonsense = ['zz\r\n', '-1\r\n', `${'f'.repeat(17)}\r\n`, '5\r\nab', '3\r\nabcd\r\n', '0;\r\nX', '\r\n\r\n'];
  return {
    kind: 'chunks that are none',
    chunks: [
      Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
      Buffer.from(random.pick(['', ...nonsense])),
    ],
    ending: random.pick(['end', 'reset', 'hang']),
    outcomes: ['delivered', 'connection_lost'],
  };
}

function brokenHead(random: Random): HostileResponse {
  const head = random.pick([
    'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    `HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\n`,
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/2.0 200 OK\r\n\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n',
    'HTTP/1.1 099 Low\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
  ]);
  return {
    kind: 'a head that is none',
    chunks: [Buffer.from(head, 'latin1')],
    ending: 'end',
    outcomes: [...unusable, ...decided],
  };
}

function largeHead(random: Random): HostileResponse {
  const isWithinBounds = random.chance(0.5);
  const filler = 'x'.repeat(isWithinBounds ? random.between(17_000, 55_000) : random.between(65_536, 100_000));
  return {
    kind: 'a large head',
    chunks: [Buffer.from(`HTTP/1.1 200 OK\r\nX: ${filler}\r\n\r\n`)],
    ending: 'keep',
    outcomes: isWithinBounds ? ['delivered'] : ['protocol_error'],
  };
}

function surplus(): HostileResponse {
  const one = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  return {
    kind: 'two answers to one request',
    chunks: [Buffer.from(one + one)],
    ending: 'keep',
    outcomes: ['delivered'],
  };
}

function endlessBody(random: Random): HostileResponse {
  return {
    kind: 'a body without end',
    chunks: [Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(random.between(200, 2000))],
    ending: 'drip',
    outcomes: ['delivered'],
  };
}

function endlessHead(random: Random): HostileResponse {
  return {
    kind: 'a head without end',
    chunks: [Buffer.from('HTTP/1.1 200 OK\r\n'), Buffer.from(`X: ${'x'.repeat(random.between(200, 900))}\r\n`)],
    ending: 'drip',
    outcomes: ['protocol_error'],
  };
}

function silence(random: Random): HostileResponse {
  const part = random.pick(['', 'H', 'HTTP/1.1 200', 'HTTP/1.1 200 OK\r\nX: ', 'HTTP/1.1 102 Wait\r\n\r\n']);
  const ending = random.pick(['hang', 'end', 'reset'] as const);
  return {
    kind: 'silence',
    chunks: part === '' ? [] : [Buffer.from(part)],
    ending,
    outcomes: ending === 'hang' ? ['timeout'] : unusable,
  };
}

function early(random: Random): HostileResponse {
  const ending = random.pick(['end', 'reset', 'hang'] as const);
  return {
    kind: 'an answer before the request is there',
    chunks: [Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
    ending,
    early: true,
    outcomes: ['delivered', 'connection_lost'],
  };
}

function noise(random: Random): HostileResponse {
  const bytes = Buffer.from(Array.from({ length: random.between(1, 400) }, () => random.between(0, 255)));
  return { kind: 'noise', chunks: split(bytes, random, 3), ending: abruptly(random), outcomes: unusable };
}

/** Returns a valid answer with a few bytes changed, dropped or doubled. */
function damaged(random: Random): HostileResponse {
  const whole = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n3\r\nabc\r\n0\r\n\r\n');
  const bytes = [...whole].flatMap((byte) =>
    random.chance(0.04) ? random.pick([[], [byte, byte], [random.between(0, 255)], [byte ^ 0x20]]) : [byte],
  );
  return {
    kind: 'damage',
    chunks: split(Buffer.from(bytes), random, 3),
    ending: abruptly(random),
    outcomes: [...unusable, ...decided],
  };
}

function abruptly(random: Random): 'end' | 'reset' {
  return random.pick(['end', 'reset']);
}

function split(whole: Buffer, random: Random, pieces: number): readonly Buffer[] {
  const places = Array.from({ length: pieces - 1 }, () => random.between(0, whole.length));
  const borders = [0, ...places.toSorted((one, other) => one - other), whole.length];
  return borders.slice(1).map((end, index) => whole.subarray(borders[index], end));
}
