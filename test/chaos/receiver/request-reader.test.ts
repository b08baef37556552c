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

describe('the reader of requests', () => {
  it('finds the same requests however their bytes are cut', () => {
    const bytes = Buffer.from(request + request);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const reader = new RequestReader();
      const requests = [...reader.take(bytes.subarray(0, cut)), ...reader.take(bytes.subarray(cut))];
      expect(requests).toEqual([read, read]);
    }
  });

  it('throws on a request without a delivery id', () => {
    const reader = new RequestReader();
    expect(() => reader.take(Buffer.from(request.replace('X-Delivery-Id', 'X-Other')))).toThrow('x-delivery-id');
  });
});
