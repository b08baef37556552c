import fc from 'fast-check';
import { expect, it } from 'vitest';
import { certificateOf } from '../certificates.ts';
import { RequestSplitter } from './request-splitter.ts';

const ids = ['0-1.000', '1-2.500', '2-3.125'];
const requests = [1, 2.5, 3.125].map((writtenAt, number) => requestWith(certificateOf(number, 7, writtenAt)));
const all = Buffer.concat(requests);

it('returns the id of a request that arrives in one chunk', () => {
  const splitter = new RequestSplitter();
  expect(requests.map((request) => splitter.take(request))).toEqual(ids.map((id) => [id]));
});

it('returns the ids of several requests in one chunk, in order', () => {
  expect(new RequestSplitter().take(all)).toEqual(ids);
});

it('returns each id once, whatever the chunks are', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: all.length }), { maxLength: 12 }), (borders) => {
      const splitter = new RequestSplitter();
      expect(chunksOf(all, borders).flatMap((chunk) => splitter.take(chunk))).toEqual(ids);
    }),
  );
});

it('accepts single bytes', () => {
  const splitter = new RequestSplitter();
  expect([...all].flatMap((byte) => splitter.take(Buffer.from([byte])))).toEqual(ids);
});

it('returns no id before the last byte of its request', () => {
  const splitter = new RequestSplitter();
  expect(splitter.take(all.subarray(0, -1))).toEqual(ids.slice(0, -1));
  expect(splitter.take(all.subarray(-1))).toEqual(ids.slice(-1));
});

it('counts bytes instead of characters, and ignores the case of header names', () => {
  const request = requestWith(Buffer.from('{"_id":"5-0.000","name":"Zürich"}'), 'CONTENT-LENGTH');
  expect(new RequestSplitter().take(Buffer.concat([request, request]))).toEqual(['5-0.000', '5-0.000']);
});

it.each([
  ['has no length', 'POST / HTTP/1.1\r\nhost: a\r\n\r\n', 'has no Content-Length'],
  ['has no certificate', 'POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}', 'has no certificate'],
])('throws on a request that %s', (_what, request, problem) => {
  expect(() => new RequestSplitter().take(Buffer.from(request))).toThrow(problem);
});

function requestWith(body: Buffer, lengthHeader = 'content-length'): Buffer {
  const head = `POST /certificates HTTP/1.1\r\nhost: 127.1.0.7\r\n${lengthHeader}: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function chunksOf(bytes: Buffer, borders: readonly number[]): readonly Buffer[] {
  const starts = [0, ...borders.toSorted((one, other) => one - other), bytes.length];
  return starts.slice(1).map((end, index) => bytes.subarray(starts[index], end));
}
