import type { TLSSocket } from 'node:tls';
import type { EventType } from '../../../certificates/certificate.ts';
import type { PreparedRequest } from '../../../deliveries/request.ts';
import type { Egress } from '../../../http/http-client.ts';
import { targetOf } from '../../../http/target.ts';
import type { RequestOutcome } from '../../../deliveries/outcome.ts';
import { unlessAborted } from '../../../lib/aborted.ts';
import { sleep, type Clock } from '../../../lib/clock.ts';
import { createConfiguredHeads, createDeliveryClient, createDeliveryEgress } from '../../../service/delivery-client.ts';
import type { Settings } from '../../../settings.ts';
import type { Authentication } from '../../../webhooks/webhook.ts';
import type { FindServers } from '../../../http/dns/name-server.ts';
import type { FoundWebhook } from '../find-webhook.ts';
import { createSample, planSample, type SampleCertificate } from '../sample.ts';

export interface ReceiverOptions {
  readonly webhook: FoundWebhook;
  /** The event of all certificates but one. */
  readonly eventType: EventType;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly findServers: FindServers | undefined;
}

/** The differences from the request that the service sends for a certificate. */
interface Deviation {
  readonly authentication?: Authentication;
  /** Replaces `application/json`. */
  readonly contentType?: string;
  /** Replaces the JSON of the certificate. */
  readonly body?: Buffer;
  readonly eventType?: EventType;
}

/** The receiver that the table is played at, over the production path. Disposal closes all connections to it. */
export class Receiver implements AsyncDisposable {
  readonly options: ReceiverOptions;
  readonly #client: ReturnType<typeof createDeliveryClient>;
  readonly egress: Egress;
  readonly #ownsEgress: boolean;
  readonly #heads: ReturnType<typeof createConfiguredHeads>;
  #opened = 0;
  #next: number;

  /** Takes the egress of another receiver, because a further one takes 5 MB. Its owner has to be disposed of later. */
  constructor(options: ReceiverOptions, egress?: Egress) {
    const events = {
      connectionOpened: () => void (this.#opened += 1),
      egressDelegated: () => undefined,
      addressesDropped: () => undefined,
      connectionCut: () => undefined,
      handshakeUnanswered: () => undefined,
    };
    this.options = options;
    this.#next = options.clock.now();
    this.egress = egress ?? createDeliveryEgress({ ...options, events });
    this.#ownsEgress = egress === undefined;
    this.#client = createDeliveryClient({ ...options, events, egress: this.egress });
    this.#heads = createConfiguredHeads(options.settings);
  }

  get authentication(): Authentication {
    return this.options.webhook.configuration.endpoint.authentication;
  }

  get opened(): number {
    return this.#opened;
  }

  get idle(): number {
    return this.#client.state().idle;
  }

  /** Resolves to true once that many connections are idle, and to false if they are not within a second. */
  async becomesIdle(count: number): Promise<boolean> {
    const { clock, signal } = this.options;
    for (let look = 0; look < looks; look += 1) {
      if (this.idle >= count) return true;
      await sleep(clock, lookEveryMs, signal);
      signal.throwIfAborted();
    }
    return false;
  }

  sample(eventType = this.options.eventType): SampleCertificate {
    const { webhook, clock } = this.options;
    return createSample(webhook.configuration.ownerId, eventType, clock.now());
  }

  request(sample: SampleCertificate, deviation: Deviation = {}): PreparedRequest {
    const { authentication, contentType, body, eventType = this.options.eventType } = deviation;
    const { webhook, clock } = this.options;
    const { endpoint } = webhook.configuration;
    this.#next += 1;
    const delivery = planSample(webhook, { sample, eventType, number: this.#next, now: clock.now() });
    const head = this.#heads.headOf({ ...endpoint, authentication: authentication ?? endpoint.authentication });
    const headers = contentType === undefined ? head.headers : withContentType(head.headers, contentType);
    const extraHeaders = this.#heads.headersOf(delivery, head);
    return { head: { ...head, headers }, extraHeaders, body: body ?? delivery.body };
  }

  /** Sends a request. Throws the signal's reason if it is aborted. */
  async send(request: PreparedRequest): Promise<RequestOutcome> {
    const { signal } = this.options;
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<RequestOutcome>();
    this.#client.send(request, { onOutcome: resolve, onExceeded: () => undefined });
    return unlessAborted(signal, promise);
  }

  /** Sends a certificate with new ids. */
  sendSample(deviation?: Deviation): Promise<RequestOutcome> {
    return this.send(this.request(this.sample(), deviation));
  }

  async sendInTurn(requests: readonly PreparedRequest[]): Promise<readonly RequestOutcome[]> {
    const outcomes: RequestOutcome[] = [];
    for (const request of requests) outcomes.push(await this.send(request));
    return outcomes;
  }

  /** Opens a connection that the caller writes to and closes. */
  async connect(): Promise<TLSSocket> {
    const { webhook, signal } = this.options;
    const opening = new AbortController();
    signal.addEventListener('abort', () => opening.abort(signal.reason));
    signal.throwIfAborted();
    const { socket } = await this.egress.connect(targetOf(webhook.configuration.endpoint.url.origin), opening);
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
    if (this.#ownsEgress) await this.egress[Symbol.asyncDispose]();
  }
}

/** The interval at which idle connections are looked for, and how often. The end of a response may take a second. */
const lookEveryMs = 10;
const looks = 110;

function withContentType(headers: readonly string[], contentType: string): readonly string[] {
  const at = headers.indexOf('Content-Type') + 1;
  return headers.with(at, contentType);
}

/** The judgement about one line of the table. `saw` says what the receiver did, or why the line was not played. */
export interface Verdict {
  readonly kind: 'ok' | 'fault' | 'skipped';
  readonly saw: string;
}

export function judge(outcomes: readonly RequestOutcome[], isGood: (outcome: RequestOutcome) => boolean): Verdict {
  return { kind: outcomes.every(isGood) ? 'ok' : 'fault', saw: describe(outcomes) };
}

export function isAccepted(outcome: RequestOutcome): boolean {
  return outcome.kind === 'delivered';
}

export function answers(...statuses: readonly number[]): (outcome: RequestOutcome) => boolean {
  return (outcome) => 'status' in outcome && statuses.includes(outcome.status);
}

/** Describes different outcomes once each, with their number if they are several. */
export function describe(outcomes: readonly RequestOutcome[]): string {
  const texts = Map.groupBy(outcomes, textOf);
  return [...texts].map(([text, { length }]) => (outcomes.length === 1 ? text : `${length} × ${text}`)).join(', ');
}

function textOf(outcome: RequestOutcome): string {
  if ('status' in outcome) return `answered ${outcome.status}`;
  return 'message' in outcome ? outcome.message : outcome.kind;
}
