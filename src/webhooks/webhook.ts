import type { EventType } from '../certificates/certificate.ts';

/** One of the five methods of the contract, with its credentials. */
export type Authentication =
  | { readonly authType: 'none' }
  | { readonly authType: 'bearer_token'; readonly token: string }
  | { readonly authType: 'basic_auth'; readonly username: string; readonly password: string }
  | { readonly authType: 'api_key'; readonly token: string }
  | { readonly authType: 'custom_header'; readonly headerName: string; readonly headerValue: string };

/** The URL of a webhook, its authentication and its headers. Holds credentials, so it is never logged. */
export interface Endpoint {
  readonly url: URL;
  readonly authentication: Authentication;
  readonly customHeaders: Readonly<Record<string, string>>;
}

/** The limits that a configuration sets for its own webhook, in each process. */
export interface WebhookLimits {
  /** Requests in flight. The limit of all endpoints applies as well. */
  readonly inFlight?: number | undefined;
  /** Attempts in a minute, spread over it. */
  readonly perMinute?: number | undefined;
}

export type WebhookState = 'active' | 'paused' | 'disabled' | 'invalid';

/**
 * One version of one subscriber's webhook configuration. Each version is a new object, so a caller compares identities to
 * see whether the configuration has changed.
 */
export interface Webhook {
  readonly id: string;
  /** Undefined when a refused configuration holds no usable owner id. */
  readonly ownerId: string | undefined;
  readonly state: WebhookState;
  /** Undefined when the configuration has none, or is refused. */
  readonly limits?: WebhookLimits | undefined;
  /** Returns false for all events when disabled, and true for all when refused without a usable list of events. */
  wants(eventType: EventType): boolean;
  /**
   * Parses the stored document at each call, so frequent callers keep the result. Throws for a version that is refused:
   * one that is invalid, and perhaps one that is disabled.
   */
  endpoint(): Endpoint;
}

/** The webhooks by owner and by id. All are known before the first record is read. */
export interface Directory {
  ofOwner(ownerId: string): readonly Webhook[];
  byId(id: string): Webhook | undefined;
  /** Resolves once the directory holds all that its source held when this was called. */
  caughtUp(): Promise<void>;
  /** Returns false while webhooks may be missing for a reason of ours. `caughtUp` waits for the same. */
  isComplete(): boolean;
}

/**
 * Returns the header that authenticates a delivery, named as the contract writes it. Belongs to the webhooks, because a
 * configuration is refused when this header clashes with a custom one, or when all headers together are too large.
 */
export function authenticationHeader(
  authentication: Authentication,
): readonly [name: string, value: string] | undefined {
  switch (authentication.authType) {
    case 'none':
      return undefined;
    case 'bearer_token':
      return ['Authorization', `Bearer ${authentication.token}`];
    case 'basic_auth':
      return ['Authorization', `Basic ${basicCredentials(authentication.username, authentication.password)}`];
    case 'api_key':
      return ['X-API-Key', authentication.token];
    case 'custom_header':
      return [authentication.headerName, authentication.headerValue];
  }
}

/** Encodes in UTF-8. RFC 7617 leaves the encoding open, and UTF-8 is the only one that it names. */
function basicCredentials(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
}
