import type { EventType } from '../certificates/certificate.ts';

/** One of the five methods of the contract, with its credentials. */
export type Authentication =
  | { readonly authType: 'none' }
  | { readonly authType: 'bearer_token'; readonly token: string }
  | { readonly authType: 'basic_auth'; readonly username: string; readonly password: string }
  | { readonly authType: 'api_key'; readonly token: string }
  | { readonly authType: 'custom_header'; readonly headerName: string; readonly headerValue: string };

/** Where a webhook points and how to authenticate there. Holds credentials: it is never logged. */
export interface Endpoint {
  readonly url: URL;
  readonly authentication: Authentication;
  readonly customHeaders: Readonly<Record<string, string>>;
}

export type WebhookState = 'active' | 'paused' | 'disabled' | 'invalid';

/**
 * One version of one subscriber's webhook configuration. A new version is a new object, so identity tells whether a
 * configuration has changed.
 */
export interface Webhook {
  readonly id: string;
  /** Undefined when a refused configuration does not say whose it is. */
  readonly ownerId: string | undefined;
  readonly state: WebhookState;
  /** A disabled one wants nothing; a refused one whose events can't be read wants all. */
  wants(eventType: EventType): boolean;
  /** Parsed from the stored document at each call: a caller that needs it often keeps it. Throws when invalid. */
  endpoint(): Endpoint;
}

/** The webhooks by owner and by id. Complete before the first record is read. */
export interface Directory {
  ofOwner(ownerId: string): readonly Webhook[];
  byId(id: string): Webhook | undefined;
  /** Resolves once the directory has reached the end that its source had at the time of the call. */
  caughtUp(): Promise<void>;
}
