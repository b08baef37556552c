import { describe, expect, it } from 'vitest';
import { authentications, json, type Document } from '../../support/builders.ts';
import { requestProblems } from '../../support/contracts/openapi-checks.ts';
import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { startOnce, type Running } from '../../support/service/start-once.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

type Header = readonly [name: string, value: string];

/** The expected headers, written out rather than computed. */
const authenticating: readonly (readonly [method: keyof typeof authentications, headers: readonly Header[]])[] = [
  ['none', []],
  ['bearer_token', [['Authorization', 'Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA']]],
  ['basic_auth', [['Authorization', 'Basic Y2VydGlmaWNhdGVzOmdyw7bDn2VyOmFscyAz']]],
  ['api_key', [['X-API-Key', 'Key-8d1f0c5b7a9e4632']]],
  ['custom_header', [['X-Partner-Secret', 'open sesame']]],
];

describe('a request', { tags: ['I3', 'I6'] }, () => {
  const running = startOnce();

  it.each(authenticating)('by %s carries exactly the headers of the contract', async (method, headers) => {
    const subscriber = aSubscriber(running.platform);
    const { request } = await deliver(running, subscriber, { auth: authentications[method], customHeaders: {} });
    expect(lines(request.headers)).toEqual(lines([...contractHeaders(running, subscriber), ...headers]));
  });

  it.each(authenticating)('by %s also carries the custom headers', async (method, headers) => {
    const subscriber = aSubscriber(running.platform);
    const customHeaders = { 'x-lower-CASE': 'kept as it is', 'X-Empty': '', Accept: '*/*' };
    const { request } = await deliver(running, subscriber, { auth: authentications[method], customHeaders });
    const custom = Object.entries(customHeaders);
    expect(lines(request.headers)).toEqual(lines([...contractHeaders(running, subscriber), ...headers, ...custom]));
  });

  it.each(authenticating)('by %s is as the OpenAPI document describes it', async (method) => {
    const configured = { auth: authentications[method], customHeaders: { 'X-Environment': 'production' } };
    const { request } = await deliver(running, aSubscriber(running.platform), configured);
    expect(requestProblems(request, configured)).toEqual([]);
  });

  it('keeps the spelling of a custom authentication header', async () => {
    const auth = { authType: 'custom_header', headerName: 'x-PARTNER-sEcReT', headerValue: 'open sesame' };
    const { request } = await deliver(running, aSubscriber(running.platform), { auth });
    expect(request.headers).toContainEqual(['x-PARTNER-sEcReT', 'open sesame']);
  });

  it('can have an empty password in Basic authentication', async () => {
    const auth = { authType: 'basic_auth', username: 'certificates', password: '' };
    const { request } = await deliver(running, aSubscriber(running.platform), { auth });
    expect(request.header('authorization')).toBe('Basic Y2VydGlmaWNhdGVzOg==');
  });

  it('has the unchanged record as its body, and the configured path and query', async () => {
    const { platform } = running;
    const subscriber = aSubscriber(platform);
    const body = Buffer.from(
      JSON.stringify({ ...subscriber.certificate(), näme: 'Žluťoučký 🐎', more: [1.0] }, null, 3),
    );
    await platform.configure(subscriber.configuration());
    await platform.complete(body);
    await running.service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId });
    const [request] = subscriber.requests;
    expect(request).toMatchObject({ method: 'POST', path: subscriber.path, body });
    expect(request?.header('content-length')).toBe(String(body.length));
    expect(request?.tls.version).toMatch(/^TLSv1\.[23]$/);
  });

  it('is logged without confidential values', async () => {
    await running.service.logged('delivery.attempted', 2 * authenticating.length);
    expect(confidentialLines(running.service.log, 'Y2VydGlmaWNhdGVzO', 'kept as it is', 'Žluťoučký')).toEqual([]);
  });

  it('leaves no record unaccounted for', async () => {
    expect(await running.service.unaccounted()).toBe(0);
  });
});

describe('a request with the optional headers of the service', () => {
  const running = startOnce({
    environment: {
      DELIVERY_USER_AGENT: 'certificates/1.0 (+https://example.com)',
      DELIVERY_EVENT_TYPE_HEADER: 'X-Event-Type',
      DELIVERY_ID_HEADER: 'X-Delivery-Id',
    },
  });

  it('carries them in addition to those of the contract', async () => {
    const subscriber = aSubscriber(running.platform);
    const plain = { auth: authentications.none, customHeaders: {} };
    const { request, deliveryId } = await deliver(running, subscriber, plain);
    const own: readonly Header[] = [
      ['User-Agent', 'certificates/1.0 (+https://example.com)'],
      ['X-Event-Type', 'certificate_completed'],
      ['X-Delivery-Id', deliveryId],
    ];
    expect(lines(request.headers)).toEqual(lines([...headersOfAll(running, subscriber), ...own]));
  });

  it('carries the event type of an expired certificate', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    await platform.expire(subscriber.certificate());
    await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId });
    expect(subscriber.requests.map((request) => request.header('x-event-type'))).toEqual(['certificate_expired']);
  });

  it('carries the same delivery id at every attempt', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500, 500, 200] });
    await platform.configure(subscriber.configuration());
    const [place] = await platform.complete(subscriber.certificate());
    await service.logged('delivery.attempted', 3, { ownerId: subscriber.ownerId });
    const id = `${platform.topics.completed}/0/${place?.offset}/${subscriber.webhookId}`;
    expect(subscriber.requests.map((request) => request.header('x-delivery-id'))).toEqual([id, id, id]);
  });

  it('prefers custom headers of the same names', async () => {
    const customHeaders = { 'user-agent': 'partner', 'x-event-type': 'ours', 'X-DELIVERY-ID': 'mine' };
    const subscriber = aSubscriber(running.platform);
    const { request } = await deliver(running, subscriber, { auth: authentications.none, customHeaders });
    const custom = Object.entries(customHeaders);
    expect(lines(request.headers)).toEqual(lines([...headersOfAll(running, subscriber), ...custom]));
  });

  it('prefers an authentication header of the same name', async () => {
    const auth = { authType: 'custom_header', headerName: 'x-event-type', headerValue: 'open sesame' };
    const { request } = await deliver(running, aSubscriber(running.platform), { auth, customHeaders: {} });
    expect(request.header('x-event-type')).toBe('open sesame');
  });
});

/** Sends a certificate to the subscriber and returns its only request. */
async function deliver(
  { platform, service }: Running,
  subscriber: Subscriber,
  configuration: Document,
): Promise<{ readonly request: ReceivedRequest; readonly deliveryId: string }> {
  await platform.configure(subscriber.configuration(configuration));
  const [place] = await platform.complete(subscriber.certificate());
  await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId });
  const [request, ...more] = subscriber.requests;
  if (request === undefined || more.length > 0) throw new Error(`There were ${subscriber.requests.length} requests.`);
  return { request, deliveryId: `${platform.topics.completed}/0/${place?.offset}/${subscriber.webhookId}` };
}

/** Returns the headers of every request. The HTTP client writes its own ones in lower case. */
function contractHeaders({ platform }: Running, subscriber: Subscriber): readonly Header[] {
  return [...headersOfAll({ platform }, subscriber), ['User-Agent', 'certificate-webhooks']];
}

/** Returns the headers of every request, also of those that have another `User-Agent`. */
function headersOfAll({ platform }: Pick<Running, 'platform'>, subscriber: Subscriber): readonly Header[] {
  return [
    ['Content-Type', 'application/json'],
    ['content-length', String(json(subscriber.certificate()).length)],
    ['host', `localhost:${platform.endpoint.port}`],
    ['connection', 'keep-alive'],
  ];
}

/** Returns the headers sorted, because their order does not matter. */
function lines(headers: readonly Header[]): readonly string[] {
  return headers.map(([name, value]) => `${name}: ${value}`).toSorted();
}
