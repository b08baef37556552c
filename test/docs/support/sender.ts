import { createRequestHeads } from '../../../src/deliveries/request.ts';
import type { RequestOutcome } from '../../../src/deliveries/outcome.ts';
import { ClientUnderTest, sendWith } from '../../http/client-under-test.ts';
import { aConfiguration, aDelivery, json, type Document } from '../../support/builders.ts';
import { configurationFrom } from '../../support/service/parsed-configuration.ts';

/** Delivers as the service does: with headers from a configuration, through the service's HTTP client. */
export class Sender implements AsyncDisposable {
  readonly #receiver: { readonly port: number };
  readonly #client = new ClientUnderTest();
  readonly #heads = createRequestHeads({
    userAgent: 'certificate-webhooks',
    eventTypeHeader: undefined,
    deliveryIdHeader: undefined,
  });

  constructor(receiver: { readonly port: number }) {
    this.#receiver = receiver;
  }

  deliver(certificate: Document | Buffer, overrides: Document = {}): Promise<RequestOutcome> {
    const head = this.#heads.headOf(this.#endpoint(overrides));
    const body = Buffer.isBuffer(certificate) ? certificate : json(certificate);
    const extraHeaders = this.#heads.headersOf(aDelivery(), head);
    return sendWith(this.#client.client, { head, extraHeaders, body }).outcome;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#client[Symbol.asyncDispose]();
  }

  #endpoint(overrides: Document) {
    const url = `https://a.test:${this.#receiver.port}/certificates`;
    return configurationFrom(aConfiguration({ url, ...overrides })).endpoint;
  }
}
