import type { EventType } from '../../../src/certificates/certificate.ts';
import type { Authentication } from '../../../src/webhooks/webhook.ts';
import { authentications, type Document } from '../../support/builders.ts';
import type { CertificateEvent } from './certificates.ts';
import { owners, type Owner } from './owners.ts';

/** The answers of an endpoint to the attempts of one delivery. */
export type Behaviour = 'works' | 'fails_twice' | 'always_fails';

type Header = readonly [name: string, value: string];

/** A webhook configuration and the behaviour of its endpoint. */
export interface Subscriber {
  /** The id of the configuration. */
  readonly id: string;
  /** The name shown to the user. */
  readonly name: string;
  readonly owner: Owner;
  readonly authentication: Authentication;
  /** The header required by the contract. It is written out, not computed by the code under test. */
  readonly authenticationHeader: Header | undefined;
  readonly customHeaders: Readonly<Record<string, string>>;
  readonly events: readonly EventType[];
  readonly behaviour: Behaviour;
}

const both = ['certificate_completed', 'certificate_expired'] as const;
const completed = ['certificate_completed'] as const;
const expired = ['certificate_expired'] as const;

/** Five working webhooks, one for each authentication method. Two owners have a second webhook that fails. */
export const subscribers: readonly [Subscriber, ...Subscriber[]] = [
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

/** Returns the configuration as it is written to its topic. */
export function configurationOf(
  { id, owner, authentication, customHeaders, events }: Subscriber,
  url: string,
): Document {
  return { _id: id, _ownerId: owner.id, url, auth: authentication, customHeaders, events };
}

/** Returns the events that the subscriber must get: those of its owner that it asks for. */
export function eventsFor<Event extends Pick<CertificateEvent, 'owner' | 'event'>>(
  { owner, events }: Subscriber,
  all: readonly Event[],
): readonly Event[] {
  return all.filter((one) => one.owner.id === owner.id && events.includes(one.event));
}

/** Returns the number of attempts for each of its deliveries. */
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

/** Returns the values that no log, metric or dead letter may contain. */
export function secretsOf({ authenticationHeader, customHeaders }: Subscriber): readonly string[] {
  const credential = authenticationHeader?.[1].split(' ').at(-1);
  return [...(credential === undefined ? [] : [credential]), ...Object.values(customHeaders)];
}
