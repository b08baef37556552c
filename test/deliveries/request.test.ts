import { validateHeaderValue } from 'node:http';
import { assert as assertProperty, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRequestHeads, type RequestSettings } from '../../src/deliveries/request.ts';
import type { Endpoint } from '../../src/webhooks/webhook.ts';
import { aDelivery, authentications } from '../support/builders.ts';

const unset: RequestSettings = { userAgent: 'agent', eventTypeHeader: undefined, deliveryIdHeader: undefined };
const set: RequestSettings = { userAgent: 'agent/1', eventTypeHeader: 'X-Event', deliveryIdHeader: 'X-Delivery' };

function anEndpoint({
  url = 'https://hooks.example.com/certificates',
  ...others
}: Partial<Omit<Endpoint, 'url'>> & { readonly url?: string } = {}): Endpoint {
  return { authentication: authentications.none, customHeaders: {}, ...others, url: new URL(url) };
}

/** Turns alternating names and values into header lines. */
function headerLines(headers: readonly string[]): readonly string[] {
  return headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
}

describe('the head of a request', () => {
  it.each([
    ['https://Hooks.example.com', 'https://hooks.example.com', '/'],
    ['https://hooks.example.com:443/a/b?c=d&e', 'https://hooks.example.com', '/a/b?c=d&e'],
    ['https://hooks.example.com:8443/a?', 'https://hooks.example.com:8443', '/a?'],
    ['https://[2001:DB8::1]:8443/ä', 'https://[2001:db8::1]:8443', '/%C3%A4'],
  ])('of %s has the origin %s and the path %s', (url, origin, path) => {
    expect(createRequestHeads(unset).headOf(anEndpoint({ url }))).toMatchObject({ origin, path });
  });

  it('has exactly the headers of the contract when nothing else is set', () => {
    const endpoint = anEndpoint({
      authentication: { authType: 'api_key', token: 'k' },
      customHeaders: { 'x-Environment': 'production', Accept: '' },
    });
    const heads = createRequestHeads(unset);
    const head = heads.headOf(endpoint);
    expect(headerLines(head.headers)).toEqual([
      'Content-Type: application/json',
      'X-API-Key: k',
      'x-Environment: production',
      'Accept: ',
      'User-Agent: agent',
    ]);
    expect(heads.headersOf(aDelivery(), head)).toEqual([]);
  });

  it('has the content type and a user agent without authentication and custom headers', () => {
    expect(headerLines(createRequestHeads(unset).headOf(anEndpoint()).headers)).toEqual([
      'Content-Type: application/json',
      'User-Agent: agent',
    ]);
  });

  it('adds the headers that are set, and those of each delivery', () => {
    const heads = createRequestHeads(set);
    const head = heads.headOf(anEndpoint());
    expect(headerLines(head.headers)).toEqual(['Content-Type: application/json', 'User-Agent: agent/1']);
    const delivery = aDelivery({ eventType: 'certificate_expired', deliveryId: 'certificates.expired/3/14/w' });
    expect(headerLines(heads.headersOf(delivery, head))).toEqual([
      'X-Event: certificate_expired',
      'X-Delivery: certificates.expired/3/14/w',
    ]);
  });

  it('leaves out a header that the webhook has itself, in upper or lower case', () => {
    const heads = createRequestHeads(set);
    const endpoint = anEndpoint({
      authentication: { authType: 'custom_header', headerName: 'x-delivery', headerValue: 'v' },
      customHeaders: { 'user-AGENT': 'theirs', 'X-EVENT': 'theirs' },
    });
    const head = heads.headOf(endpoint);
    expect(headerLines(head.headers)).toEqual([
      'Content-Type: application/json',
      'x-delivery: v',
      'user-AGENT: theirs',
      'X-EVENT: theirs',
    ]);
    expect(heads.headersOf(aDelivery(), head)).toEqual([]);
  });

  it('keeps a delivery id legal in a header, whatever the id of its webhook', () => {
    const heads = createRequestHeads(set);
    const head = heads.headOf(anEndpoint());
    assertProperty(
      property(string({ unit: 'binary' }), (deliveryId) => {
        const [, , , value = ''] = heads.headersOf(aDelivery({ deliveryId }), head);
        validateHeaderValue('X-Delivery', value);
        expect(value).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });

  it('leaves a plain delivery id as it is', () => {
    const heads = createRequestHeads(set);
    const head = heads.headOf(anEndpoint());
    const idOf = (deliveryId: string) => heads.headersOf(aDelivery({ deliveryId }), head)[3];
    expect([idOf('topic/0/1/a b%20'), idOf('topic/0/1/é\n\ud800')]).toEqual([
      'topic/0/1/a b%20',
      'topic/0/1/%C3%A9%0A%EF%BF%BD',
    ]);
  });
});
