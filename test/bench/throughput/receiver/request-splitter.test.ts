import fc from 'fast-check';
import { expect, it } from 'vitest';
import { certificateOf } from '../certificates.ts';
import { RequestSplitter } from './request-splitter.ts';

const ids = ['0-1.000', '1-2.500', '2-3.125'];
const requests = [1, 2.5, 3.125].map((writtenAt, number) => requestWith(certificateOf(number, 7, writtenAt)));
const all = Buffer.concat(requests);

it('tells the id of a request that comes whole', () => {
  const splitter = new RequestSplitter();
  expect(requests.map((request) => splitter.take(request))).toEqual(ids.map((id) => [id]));
});

it('tells several that come in one chunk, in order', () => {
  expect(new RequestSplitter().take(all)).toEqual(ids);
});

it('tells the same ids once each, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: all.length }), { maxLength: 12 }), (places) => {
      const splitter = new RequestSplitter();
      expect(piecesOf(all, places).flatMap((piece) => splitter.take(piece))).toEqual(ids);
    }),
  );
});

it('takes single bytes', () => {
  const splitter = new RequestSplitter();
  expect([...all].flatMap((byte) => splitter.take(Buffer.from([byte])))).toEqual(ids);
});

it('tells nothing before the last byte', () => {
  const splitter = new RequestSplitter();
  expect(splitter.take(all.subarray(0, -1))).toEqual(ids.slice(0, -1));
  expect(splitter.take(all.subarray(-1))).toEqual(ids.slice(-1));
});

it('goes by bytes, and takes names of headers in any case', () => {
  const request = requestWith(Buffer.from('{"_id":"5-0.000","name":"Zürich"}'), 'CONTENT-LENGTH');
  expect(new RequestSplitter().take(Buffer.concat([request, request]))).toEqual(['5-0.000', '5-0.000']);
});

it.each([
  ['has no length', 'POST / HTTP/1.1\r\nhost: a\r\n\r\n', 'without a length'],
  ['has no certificate', 'POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}', 'whose body is no certificate'],
])('refuses a request that %s', (_what, request, problem) => {
  expect(() => new RequestSplitter().take(Buffer.from(request))).toThrow(problem);
});

function requestWith(body: Buffer, lengthHeader = 'content-length'): Buffer {
  const head = `POST /certificates HTTP/1.1\r\nhost: 127.1.0.7\r\n${lengthHeader}: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function piecesOf(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const cuts = [0, ...places.toSorted((one, other) => one - other), bytes.length];
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}
