import type { ReceivedRequest } from '../endpoints/received-request.ts';
import type { Answer } from '../endpoints/answers.ts';
import { aCertificateDocument, aConfiguration, type Document } from '../builders.ts';
import { uniqueName } from '../kafka/topics.ts';
import type { Platform } from './platform.ts';

/** An owner with a webhook that no other test uses. */
export interface Subscriber {
  readonly ownerId: string;
  readonly webhookId: string;
  /** The path and query of its webhook at the platform's endpoint. No other webhook uses it. */
  readonly path: string;
  readonly url: string;
  /** Builds the configuration of the webhook. Other fields are those of `aConfiguration`. */
  configuration(overrides?: Document): Document;
  certificate(overrides?: Document): Document;
  /** Builds `count` certificates that differ only in their id. */
  certificates(count: number): readonly Document[];
  /** The requests to its path so far. */
  readonly requests: readonly ReceivedRequest[];
}

interface SubscriberOptions {
  /** The id of an existing owner, for a second webhook of it. */
  readonly ownerId?: string;
  /** The script of its endpoint; always 200 when left out. */
  readonly answers?: readonly (number | Answer)[];
  /** A URL of its webhook in place of the platform's endpoint. */
  readonly url?: string;
}

/** Creates a subscriber. The test itself writes its configurations and certificates to the platform. */
export function aSubscriber(
  { endpoint }: Pick<Platform, 'endpoint'>,
  { ownerId = uniqueName('owner'), answers = [200], ...options }: SubscriberOptions = {},
): Subscriber {
  const webhookId = uniqueName('webhook');
  const path = `/private/${uniqueName('path')}?place=${uniqueName('query')}`;
  const { url = endpoint.url(path) } = options;
  const certificate = (overrides: Document = {}): Document => aCertificateDocument({ _ownerId: ownerId, ...overrides });
  endpoint.script(path, ...answers);
  return {
    ownerId,
    webhookId,
    path,
    url,
    configuration: (overrides = {}) => aConfiguration({ _id: webhookId, _ownerId: ownerId, url, ...overrides }),
    certificate,
    certificates: (count) => Array.from({ length: count }, (_, index) => certificate({ _id: `certificate-${index}` })),
    get requests() {
      return endpoint.requests.filter((request) => request.path === path);
    },
  };
}
