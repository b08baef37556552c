import type { EventType } from '../../../src/certificates/certificate.ts';
import type { Authentication } from '../../../src/webhooks/webhook.ts';
import { authentications, type Document } from '../../support/builders.ts';
import { type CertificateEvent, owners, type Owner } from './certificates.ts';

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

const completed = ['certificate_completed'] as const;
const { bearer_token, basic_auth, api_key, custom_header, none } = authentications;

const authenticationHeaders: Readonly<Record<Authentication['authType'], Header | undefined>> = {
  bearer_token: ['Authorization', 'Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA'],
  basic_auth: ['Authorization', 'Basic Y2VydGlmaWNhdGVzOmdyw7bDn2VyOmFscyAz'],
  api_key: ['X-API-Key', 'Key-8d1f0c5b7a9e4632'],
  custom_header: ['X-Partner-Secret', 'open sesame'],
  none: undefined,
};

/** Returns a webhook that works and gets both events, but for what is given. */
function aSubscriber(
  number: number,
  given: Pick<Subscriber, 'name' | 'owner' | 'authentication'> & Partial<Subscriber>,
): Subscriber {
  return {
    id: `665f1f77bcf86cd7994390${number}`,
    authenticationHeader: authenticationHeaders[given.authentication.authType],
    customHeaders: {},
    events: ['certificate_completed', 'certificate_expired'],
    behaviour: 'works',
    ...given,
  };
}

const named = (environment: string) => ({ customHeaders: { 'X-Environment': environment } });

/** Five working webhooks, one for each authentication method. Two owners have a second webhook that fails. */
export const subscribers: readonly [Subscriber, ...Subscriber[]] = [
  aSubscriber(11, {
    name: 'Harbour',
    owner: owners.harbour,
    authentication: bearer_token,
    customHeaders: { 'X-Environment': 'harbour-production', 'X-Tenant': 'pier 7' },
  }),
  aSubscriber(12, {
    name: 'Northern',
    owner: owners.northern,
    authentication: basic_auth,
    events: completed,
    ...named('northern-staging'),
  }),
  aSubscriber(13, {
    name: 'City',
    owner: owners.city,
    authentication: api_key,
    events: ['certificate_expired'],
    ...named('city-reminders'),
  }),
  aSubscriber(14, { name: 'Summit', owner: owners.summit, authentication: custom_header, ...named('summit') }),
  aSubscriber(15, { name: 'Sandbox', owner: owners.sandbox, authentication: none }),
  aSubscriber(16, {
    name: 'Summit, fails twice',
    owner: owners.summit,
    authentication: bearer_token,
    events: completed,
    behaviour: 'fails_twice',
    ...named('summit-archive'),
  }),
  aSubscriber(17, {
    name: 'Sandbox, fails',
    owner: owners.sandbox,
    authentication: api_key,
    events: completed,
    behaviour: 'always_fails',
    ...named('sandbox-forgotten'),
  }),
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
