import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InterimResponses } from '../../../src/deliveries/http/interim-responses.ts';

const response = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const interim = fc
  .record({ minor: fc.constantFrom(0, 1), status: fc.constantFrom(100, 102, 103, 199), headers: fc.nat({ max: 3 }) })
  .map(({ minor, status, headers }) => `HTTP/1.${minor} ${status} Interim\r\n${'Link: <a>\r\n'.repeat(headers)}\r\n`);
const final = fc.constantFrom(
  response,
  'HTTP/1.1 101 Switching\r\n\r\n',
  'HTTP/2 100\r\n\r\n',
  '<html>',
  'HTTP/1.1 1',
  '',
);

it('drops interim responses, however they are cut, and nothing else', () => {
  fc.assert(
    fc.property(
      fc.array(interim, { maxLength: 16 }),
      final,
      fc.array(fc.nat({ max: 400 }), { maxLength: 20 }),
      (interims, last, cuts) => {
        const whole = Buffer.from(interims.join('') + last);
        const borders = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((one, other) => one - other)];
        const chunks = borders.map((start, index) => whole.subarray(start, borders[index + 1]));
        const responses = new InterimResponses();
        responses.begin();
        const passed = Buffer.concat(chunks.map((chunk) => responses.drop(chunk))).toString();
        // The beginning of a status line is kept until it is known.
        expect(passed).toBe(last === 'HTTP/1.1 1' ? '' : last);
        expect(responses.areTooMany).toBe(false);
      },
    ),
  );
});

it('passes nothing on after the 17th', () => {
  const responses = new InterimResponses();
  responses.begin();
  expect(responses.drop(Buffer.from('HTTP/1.1 103 \r\n\r\n'.repeat(17) + response))).toHaveLength(0);
  expect(responses.areTooMany).toBe(true);
});

it('passes a head on that has no end within 16 KiB, for the reader to refuse', () => {
  const responses = new InterimResponses();
  responses.begin();
  expect(responses.drop(Buffer.from('HTTP/1.1 103 \r\n'))).toHaveLength(0);
  expect(responses.drop(Buffer.alloc(16 * 1024, 'x'))).not.toHaveLength(0);
});

it('passes everything on before the first request, and after the response has begun', () => {
  const responses = new InterimResponses();
  const chunk = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');
  expect(responses.drop(chunk)).toBe(chunk);
  responses.begin();
  responses.drop(Buffer.from(response));
  expect(responses.drop(chunk)).toBe(chunk);
});
