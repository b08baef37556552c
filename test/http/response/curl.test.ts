import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ResponseFilter, parseHead } from '../../../src/http/response/response-head.ts';
import { portOf } from '../../support/endpoints/endpoint.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { needs } from '../../support/programs/needs.ts';

const statusLines = [
  'HTTP/1.1 200 OK|HTTP/1.1 200|HTTP/1.1 200 |HTTP/1.1  200 OK|HTTP/1.0 200 OK|HTTP/1.1 204 None',
  'HTTP/1.1 299 \u00e4|HTTP/1.1 500 No|HTTP/1.1 600 x|HTTP/1.1 200 O\tK|HTTP/1.1 200 a\0b|http/1.1 200 OK',
  'HTTP/1.1\t200 OK|HTTP/2 200|HTTP/1.2 200 OK| HTTP/1.1 200 OK|HTTP/1.1 2000 OK|HTTP/1.1 20 OK',
  'HTTP/1.1 abc|ICY 200 OK|{"received":true}|HTTP/1.1 101 Switching',
].flatMap((texts) => texts.split('|'));
const fields = [
  'Content-Length: 2|content-length: 2|Content-Length: 2, 2|Content-Length: 3|Content-Length: x',
  'Content-Length: -1|Content-Length:|Content-Length : 2|Content-Length: 2 x|Content-Length: 0',
  'Transfer-Encoding: chunked|Transfer-Encoding: gzip, chunked|Transfer-Encoding: bogus|X: a\r\n b',
  'X: a\r\n\tb|X: a\n  b|X:|X : a|X Y: a|X\x01: a|X: a\x01b|X: \u00e4\u00ff|X: a\0b|X\0: a|no colon',
  ': no name|X: a\rb|X: a\r|Connection: close|Connection: keep-alive|Retry-After: 7|Content-Encoding: gzip',
  'Location: /x',
]
  .flatMap((texts) => texts.split('|'))
  .concat(`Server-Timing: ${'x'.repeat(17_000)}`);

const lineEnds = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n');
const line = (...texts: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...texts), lineEnds).map((parts) => parts.join(''));
const usualLine = line('HTTP/1.1 200 OK');
const head = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: usualLine }, { weight: 1, arbitrary: line(...statusLines) }),
    fc.array(line(...fields), { maxLength: 5 }),
    lineEnds,
  )
  .map(([status, lines, end]) => `${status}${lines.join('')}${end}`);

/** The verdict of a reader: the status if it takes the response for a 2xx. */
type Verdict = number | 'no success';

function verdictOf(status: number): Verdict {
  return status >= 200 && status < 300 ? status : 'no success';
}

it('takes the same responses as curl, of 2,000 that were generated', needs('curl'), async () => {
  const seed = Date.now() % 2 ** 31;
  const heads = fc.sample(head, { numRuns: 2000, seed });
  const verdicts = await askCurl(heads.map((text) => `${text}${bodyOf(text)}`));
  expect(verdicts).toHaveLength(heads.length);
  const differences = heads
    .map((text, index) => ({ text: text.slice(0, 300), ours: ourVerdict(text), curl: verdicts[index] }))
    .filter(({ ours, curl }) => ours !== curl);
  expect(differences, `seed ${seed}`).toEqual([]);
});

it('takes the same heads as curl that end with the connection, cut behind every byte', needs('curl'), async () => {
  const seed = Date.now() % 2 ** 31;
  const heads = fc.sample(
    head.filter((text) => text.length < 150),
    { numRuns: 40, seed },
  );
  const cut = heads.flatMap((text) => Array.from({ length: text.length + 1 }, (_, end) => text.slice(0, end)));
  const verdicts = await askCurl(cut);
  expect(verdicts).toHaveLength(cut.length);
  const differences = cut
    .map((text, index) => ({ text, ours: verdictAtEnd(text), curl: verdicts[index] }))
    .filter(({ ours, curl }) => ours !== curl);
  expect(differences, `seed ${seed}`).toEqual([]);
});

/** Our verdict on a response whose connection ends behind this text. */
function verdictAtEnd(text: string): Verdict {
  const filter = new ResponseFilter();
  filter.begin();
  const passed = filter.filter(Buffer.from(text, 'latin1')) ?? filter.end();
  return passed instanceof Buffer ? ourVerdict(passed.toString('latin1')) : 'no success';
}

function bodyOf(text: string): string {
  return text.includes('chunked') ? '2\r\nok\r\n0\r\n\r\n' : 'ok';
}

function ourVerdict(text: string): Verdict {
  const parsed = parseHead(text);
  return parsed.kind === 'refused' ? 'no success' : verdictOf(parsed.status);
}

/** Errors of curl that come after the head: those of the body, of its length and of its coding. */
const bodyErrors: ReadonlySet<string> = new Set(['18', '23', '56', '61']);

/** Serves each response, and resolves to what curl makes of them. */
async function askCurl(responses: readonly string[]): Promise<readonly Verdict[]> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      const index = Number(/^GET \/(\d+) /.exec(request.toString('latin1'))?.[1]);
      socket.end(Buffer.from(responses[index] ?? '', 'latin1'));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  const transfers = responses.map((_, index) =>
    [
      `url = "http://127.0.0.1:${port}/${index}"`,
      'output = "/dev/null"',
      String.raw`write-out = "%{http_code} %{exitcode}\n"`,
      'max-time = 30',
      'silent',
    ].join('\n'),
  );
  await using files = await writeTemporaryFiles({ transfers: transfers.join('\nnext\n') });
  const options = ['--disable', '--noproxy', '*', '--config', files.path('transfers')];
  // curl ends with the error of its last transfer.
  const { stdout } = await promisify(execFile)('curl', options).catch(
    (error: unknown) => Object(error) as { stdout: string },
  );
  server.close();
  return stdout
    .trim()
    .split('\n')
    .map((result) => {
      const [status = '', exit = ''] = result.split(' ');
      return exit === '0' || bodyErrors.has(exit) ? verdictOf(Number(status)) : 'no success';
    });
}
