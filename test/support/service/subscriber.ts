import type { ReceivedRequest } from '../endpoints/received-request.ts';
import type { Answer } from '../endpoints/answers.ts';
import { aCertificateDocument, aConfiguration, type Document } from '../builders.ts';
import { uniqueName } from '../kafka/topics.ts';
import type { Platform } from './platform.ts';

/** An owner with a webhook, apart from all others on the platform. */
export interface Subscriber {
  readonly ownerId: string;
  readonly webhookId: string;
  /** Path and query at the platform's endpoint that only this one's webhook points at. */
  readonly path: string;
  readonly url: string;
  /** Of the webhook; what is left out is as in `aConfiguration`. */
  configuration(overrides?: Document): Document;
  certificate(overrides?: Document): Document;
  /** That many, which differ in their id alone. */
  certificates(count: number): readonly Document[];
  /** What came for it so far. */
  readonly requests: readonly ReceivedRequest[];
}

interface SubscriberOptions {
  /** Somebody else's, for a second webhook of one owner. */
  readonly ownerId?: string;
  /** What its endpoint answers in turn, the last one again and again; 200 when left out. */
  readonly answers?: readonly (number | Answer)[];
  /** Where its webhook points instead. */
  readonly url?: string;
}

/** Nothing is written yet: the platform is told of its configurations and certificates by the test. */
export function aSubscriber(
  { endpoint }: Pick<Platform, 'endpoint'>,
  { ownerId = uniqueName('owner'), answers = [200], ...elsewhere }: SubscriberOptions = {},
): Subscriber {
  const webhookId = uniqueName('webhook');
  const path = `/private/${uniqueName('path')}?place=${uniqueName('query')}`;
  const { url = endpoint.url(path) } = elsewhere;
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
