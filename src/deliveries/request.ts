import { authenticationHeader, type Endpoint } from '../webhooks/webhook.ts';
import type { Delivery } from './delivery.ts';
import type { RequestOutcome } from './outcome.ts';

/** The parts of a request that all deliveries to one version of a webhook share. Holds credentials: never log it. */
export interface RequestHead {
  /** `https://host` or `https://host:port`, as the WHATWG URL parser writes it. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values alternate. `Host`, `Connection` and `Content-Length` are missing: the client adds them. */
  readonly headers: readonly string[];
  /** The names of the headers that each delivery adds. Undefined: the header is not sent. */
  readonly eventTypeHeader?: string | undefined;
  readonly deliveryIdHeader?: string | undefined;
}

/** Headers of the service. Each is sent if it is set here and the webhook has no header of that name. */
export interface RequestSettings {
  readonly userAgent: string;
  /** The names of the headers for the event type and for the delivery id. */
  readonly eventTypeHeader: string | undefined;
  readonly deliveryIdHeader: string | undefined;
}

export interface PreparedRequest {
  readonly head: RequestHead;
  /** The headers of this delivery alone; names and values alternate. */
  readonly extraHeaders: readonly string[];
  readonly body: Buffer;
}

/** A request that was sent. */
export interface InFlight {
  /** Aborts the request. Its outcome is then `draining`, unless it has one already. */
  abort(): void;
}

export interface RequestListener {
  /**
   * Called once, with the response head or when the delivery timeout ends, and never before `send` has returned. Must not
   * throw.
   */
  onOutcome(outcome: RequestOutcome): void;
  /** Called if the endpoint exceeds a limit after its 2xx, so that its circuit can count a failure. */
  onExceeded(): void;
  /** Returns for how many ms the request must be held before it is written. Called once for each time that it is. */
  holdMs?(): number;
  /** Returns whether the request may still be sent. Asked once its connection is open, which may take long. */
  stillOwned?(): boolean | Promise<boolean>;
}

export interface Sender {
  /** Sends at once, without a limit of its own. The gates limit the number of requests. */
  send(request: PreparedRequest, listener: RequestListener): InFlight;
}

export interface RequestHeads {
  headOf(endpoint: Endpoint): RequestHead;
  /** Returns the headers that the delivery adds to its head; names and values alternate. */
  headersOf(delivery: Pick<Delivery, 'eventType' | 'deliveryId'>, head: RequestHead): readonly string[];
}

export function createRequestHeads(settings: RequestSettings): RequestHeads {
  return { headOf: (endpoint) => createRequestHead(endpoint, settings), headersOf: deliveryHeaders };
}

type Header = readonly [name: string, value: string];

function createRequestHead({ url, authentication, customHeaders }: Endpoint, settings: RequestSettings): RequestHead {
  const authenticating = authenticationHeader(authentication);
  const configured: readonly Header[] = [
    ...(authenticating === undefined ? [] : [authenticating]),
    ...Object.entries(customHeaders),
  ];
  const taken = new Set(configured.map(([name]) => name.toLowerCase()));
  const unlessTaken = (name: string | undefined): string | undefined =>
    name !== undefined && taken.has(name.toLowerCase()) ? undefined : name;
  return {
    origin: url.origin,
    // Not `pathname` and `search`: they drop the question mark of an empty query.
    path: url.href.slice(url.origin.length),
    headers: [
      'Content-Type',
      'application/json',
      ...configured.flat(),
      ...(taken.has('user-agent') ? [] : ['User-Agent', settings.userAgent]),
    ],
    eventTypeHeader: unlessTaken(settings.eventTypeHeader),
    deliveryIdHeader: unlessTaken(settings.deliveryIdHeader),
  };
}

const none: readonly string[] = [];

function deliveryHeaders(
  { eventType, deliveryId }: Pick<Delivery, 'eventType' | 'deliveryId'>,
  { eventTypeHeader, deliveryIdHeader }: RequestHead,
): readonly string[] {
  if (deliveryIdHeader === undefined) return eventTypeHeader === undefined ? none : [eventTypeHeader, eventType];
  const id = headerText(deliveryId);
  return eventTypeHeader === undefined ? [deliveryIdHeader, id] : [eventTypeHeader, eventType, deliveryIdHeader, id];
}

/** Percent-encodes characters that are illegal in a header, because a webhook's id may hold any character. */
function headerText(text: string): string {
  // Almost no id holds such a character, and a replacement that finds none takes 0.3 KB.
  return /[^\x20-\x7e]/u.test(text) ? text.toWellFormed().replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent) : text;
}
