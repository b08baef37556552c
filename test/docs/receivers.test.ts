import { describe, expect, it } from 'vitest';
import { createRequestHeads } from '../../src/deliveries/request.ts';
import type { RequestOutcome } from '../../src/deliveries/outcome.ts';
import { createConfigurationParser } from '../../src/webhooks/configuration-schema.ts';
import { aCertificateDocument, aConfiguration, aDelivery, authentications, json } from '../support/builders.ts';
import { ClientUnderTest, identity } from '../deliveries/http/client-under-test.ts';
import { receivers, startReceiver, type Receiver, type ReceiverName } from './support/receiver.ts';

const names = Object.keys(receivers) as readonly ReceiverName[];

/** What a subscriber writes into its file for the credentials of `authentications`. */
const headers = {
  bearer_token: 'Authorization: Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA',
  basic_auth: 'Authorization: Basic Y2VydGlmaWNhdGVzOmdyw7bDn2VyOmFscyAz',
  api_key: 'X-API-Key: Key-8d1f0c5b7a9e4632',
  custom_header: 'X-Partner-Secret: open sesame',
} as const;
type Method = keyof typeof headers;
const methods = Object.keys(headers) as readonly Method[];

const completed = aCertificateDocument({ expires: null });
const expired = aCertificateDocument({ expires: '2026-03-14T09:26:53.589Z' });

describe.each(names)('%s', (name) => {
  it.each(methods)('lets in what the service sends for %s', async (method) => {
    await using receiver = await start(name, headers[method]);
    await using sender = new Sender(receiver);
    expect(await sender.deliver(completed, { auth: authentications[method] })).toMatchObject({ status: 204 });
    expect(receiver.stored()).toEqual([{ id: completed['_id'], event: 'certificate_completed', body: completed }]);
  });

  it.each(methods)('refuses a credential that differs in its last character for %s', async (method) => {
    await using receiver = await start(name, `${headers[method].slice(0, -1)}!`);
    await using sender = new Sender(receiver);
    expect(await sender.deliver(completed, { auth: authentications[method] })).toMatchObject({ status: 401 });
    expect(receiver.stored()).toEqual([]);
  });

  it('refuses who shows no credential, also when its own file holds none', async () => {
    await using receiver = await start(name, 'Authorization:');
    await using sender = new Sender(receiver);
    expect(await sender.deliver(completed, { auth: authentications.none })).toMatchObject({ status: 401 });
  });

  it('lets in the old credential and the new one while it is being changed', async () => {
    await using receiver = await start(name, 'X-API-Key: the old one', headers.api_key);
    await using sender = new Sender(receiver);
    const old = { authType: 'api_key', token: 'the old one' };
    expect(await sender.deliver(completed, { auth: old })).toMatchObject({ status: 204 });
    expect(await sender.deliver(completed, { auth: authentications.api_key })).toMatchObject({ status: 204 });
  });

  it('stores what comes again once, and answers it alike', async () => {
    await using receiver = await start(name);
    await using sender = new Sender(receiver);
    const outcomes = [await sender.deliver(completed), await sender.deliver(completed)];
    expect(outcomes).toEqual([
      { kind: 'delivered', status: 204 },
      { kind: 'delivered', status: 204 },
    ]);
    expect(receiver.stored()).toHaveLength(1);
  });

  it('keeps the completion of a certificate and its expiry apart', async () => {
    await using receiver = await start(name);
    await using sender = new Sender(receiver);
    await sender.deliver(completed);
    await sender.deliver(expired);
    expect(receiver.stored().map(({ event }) => event)).toEqual(['certificate_completed', 'certificate_expired']);
  });

  it('refuses a body of several mebibytes with an answer, and goes on', async () => {
    await using receiver = await start(name);
    await using sender = new Sender(receiver);
    const large = { ...completed, filling: 'x'.repeat(4 * 1024 * 1024) };
    expect(await sender.deliver(large)).toMatchObject({ kind: 'http_error', status: 413 });
    expect(await sender.deliver(completed)).toMatchObject({ status: 204 });
    expect(receiver.stored()).toHaveLength(1);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{"_id":')],
    ['no object', Buffer.from('null')],
    ['no owner', json(aCertificateDocument({ _ownerId: undefined }))],
    ['an id that is no text', json(aCertificateDocument({ _id: 7 }))],
  ])('refuses %s', async (_what, body) => {
    await using receiver = await start(name);
    await using sender = new Sender(receiver);
    expect(await sender.deliver(body)).toMatchObject({ kind: 'http_error', status: 400 });
    expect(await sender.deliver(completed)).toMatchObject({ status: 204 });
  });

  it('does not say that it has what it could not store', async () => {
    await using receiver = await start(name);
    receiver.breakDatabase();
    await using sender = new Sender(receiver);
    expect(await sender.deliver(completed)).toMatchObject({ kind: 'http_error', status: 500 });
  });

  it('has what it stored when it was killed, and stores it no second time', async () => {
    await using receiver = await start(name);
    await using sender = new Sender(receiver);
    await sender.deliver(completed);
    await receiver.restart();
    await sender.deliver(completed);
    await sender.deliver(expired);
    expect(receiver.stored()).toHaveLength(2);
  });
});

function start(name: ReceiverName, ...credentials: readonly string[]): Promise<Receiver> {
  return startReceiver(name, {
    identity,
    credentials: credentials.length === 0 ? [headers.bearer_token] : credentials,
  });
}

/** Delivers as the service does: its own headers, from a configuration, through its own client. */
class Sender implements AsyncDisposable {
  readonly #receiver: Receiver;
  readonly #client = new ClientUnderTest();
  readonly #heads = createRequestHeads({
    userAgent: undefined,
    eventTypeHeader: undefined,
    deliveryIdHeader: undefined,
  });

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  deliver(certificate: Readonly<Record<string, unknown>> | Buffer, overrides = {}): Promise<RequestOutcome> {
    const head = this.#heads.headOf(this.#endpoint(overrides));
    const body = Buffer.isBuffer(certificate) ? certificate : json(certificate);
    const extraHeaders = this.#heads.headersOf(aDelivery(), head);
    return this.#client.client.send({ head, extraHeaders, body }).outcome;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#client[Symbol.asyncDispose]();
  }

  #endpoint(overrides: Readonly<Record<string, unknown>>) {
    const url = `https://a.test:${this.#receiver.port}/certificates`;
    const document = aConfiguration({ url, ...overrides });
    const parsed = createConfigurationParser({ isAllowedPort: () => true })(String(document['_id']), document);
    if (parsed.kind === 'refused') throw new Error(parsed.problems.join());
    return parsed.configuration.endpoint;
  }
}
