import type { EventType } from '../../../src/certificates/certificate.ts';
import type { Authentication } from '../../../src/webhooks/webhook.ts';
import { authentications, type Document } from '../../support/builders.ts';
import { owners, type Owner } from './owners.ts';

/** How a subscriber's endpoint answers, for each certificate anew. */
export type Behaviour = 'works' | 'fails_twice' | 'always_fails';

type Header = readonly [name: string, value: string];

/** One webhook configuration, and what its endpoint is like. */
export interface Subscriber {
  /** Of its configuration. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly owner: Owner;
  readonly authentication: Authentication;
  /** What the contract says is sent for that, written out rather than computed by the code it is compared with. */
  readonly authenticationHeader: Header | undefined;
  readonly customHeaders: Readonly<Record<string, string>>;
  readonly events: readonly EventType[];
  readonly behaviour: Behaviour;
}

const both = ['certificate_completed', 'certificate_expired'] as const;
const completed = ['certificate_completed'] as const;
const expired = ['certificate_expired'] as const;

/** Each of the five methods works once; the two that fail are second webhooks of owners whose first one works. */
export const subscribers: readonly Subscriber[] = [
  {
    id: '665f1f77bcf86cd799439011',
    name: 'Harbour',
    owner: owners.harbour,
    authentication: authentications.bearer_token,
    authenticationHeader: ['Authorization', 'Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA'],
    customHeaders: { 'X-Environment': 'harbour-production', 'X-Tenant': 'pier 7' },
    events: both,
    behaviour: 'works',
  },
  {
    id: '665f1f77bcf86cd799439012',
    name: 'Northern',
    owner: owners.northern,
    authentication: authentications.basic_auth,
    authenticationHeader: ['Authorization', 'Basic Y2VydGlmaWNhdGVzOmdyw7bDn2VyOmFscyAz'],
    customHeaders: { 'X-Environment': 'northern-staging' },
    events: completed,
    behaviour: 'works',
  },
  {
    id: '665f1f77bcf86cd799439013',
    name: 'City',
    owner: owners.city,
    authentication: authentications.api_key,
    authenticationHeader: ['X-API-Key', 'Key-8d1f0c5b7a9e4632'],
    customHeaders: { 'X-Purpose': 'renewal reminders' },
    events: expired,
    behaviour: 'works',
  },
  {
    id: '665f1f77bcf86cd799439014',
    name: 'Summit',
    owner: owners.summit,
    authentication: authentications.custom_header,
    authenticationHeader: ['X-Partner-Secret', 'open sesame'],
    customHeaders: { 'X-Environment': 'summit-production' },
    events: both,
    behaviour: 'works',
  },
  {
    id: '665f1f77bcf86cd799439015',
    name: 'Sandbox',
    owner: owners.sandbox,
    authentication: authentications.none,
    authenticationHeader: undefined,
    customHeaders: {},
    events: both,
    behaviour: 'works',
  },
  {
    id: '665f1f77bcf86cd799439016',
    name: 'Summit, fails twice',
    owner: owners.summit,
    authentication: authentications.bearer_token,
    authenticationHeader: ['Authorization', 'Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA'],
    customHeaders: { 'X-Environment': 'summit-archive' },
    events: completed,
    behaviour: 'fails_twice',
  },
  {
    id: '665f1f77bcf86cd799439017',
    name: 'Sandbox, fails',
    owner: owners.sandbox,
    authentication: authentications.api_key,
    authenticationHeader: ['X-API-Key', 'Key-8d1f0c5b7a9e4632'],
    customHeaders: { 'X-Environment': 'sandbox-forgotten' },
    events: completed,
    behaviour: 'always_fails',
  },
];

/** The configuration as it stands in its topic. */
export function configurationOf(
  { id, owner, authentication, customHeaders, events }: Subscriber,
  url: string,
): Document {
  return { _id: id, _ownerId: owner.id, url, auth: authentication, customHeaders, events };
}

/** How many attempts each of its deliveries takes until it is settled for good. */
export function attemptsOf({ behaviour }: Subscriber, tiers: number): number {
  switch (behaviour) {
    case 'works':
      return 1;
    case 'fails_twice':
      return 3;
    case 'always_fails':
      return tiers + 1;
  }
}

/** What no log, metric or dead letter may show. */
export function secretsOf({ authenticationHeader, customHeaders }: Subscriber): readonly string[] {
  const credential = authenticationHeader?.[1].split(' ').at(-1);
  return [...(credential === undefined ? [] : [credential]), ...Object.values(customHeaders)];
}
