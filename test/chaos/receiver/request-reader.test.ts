import { describe, expect, it } from 'vitest';
import { RequestReader } from './request-reader.ts';

const body = JSON.stringify({ _id: 'zwölf' });
const request = [
  'POST /hook HTTP/1.1',
  'Host: localhost',
  'X-Delivery-Id: completed/0/12/hook',
  `Content-Length: ${Buffer.byteLength(body)}`,
  '',
  body,
].join('\r\n');
const read = { deliveryId: 'completed/0/12/hook', certificateId: 'zwölf' };

describe('the request reader', () => {
  it('finds the same requests however their bytes are split', () => {
    const bytes = Buffer.from(request + request);
    for (let split = 1; split < bytes.length; split += 1) {
      const reader = new RequestReader();
      const requests = [...reader.take(bytes.subarray(0, split)), ...reader.take(bytes.subarray(split))];
      expect(requests).toEqual([read, read]);
    }
  });

  it('throws on a request without a delivery id', () => {
    const reader = new RequestReader();
    expect(() => reader.take(Buffer.from(request.replace('X-Delivery-Id', 'X-Other')))).toThrow('x-delivery-id');
  });
});
