import { aConfiguration, json } from '../../support/builders.ts';
import type { Configuration } from '../service-topics.ts';
import { nameOf } from './certificates.ts';

/** Who is subscribed: each owner has so many webhooks, all of them at one host or each at one of its own. */
export interface Subscribers {
  readonly owners: number;
  readonly fanOut: number;
  readonly hosts: 'one' | 'each';
}

/** The endpoints of an owner, by number. */
export function endpointsOf(owner: number, { fanOut, hosts }: Omit<Subscribers, 'owners'>): readonly number[] {
  return Array.from({ length: fanOut }, (_, index) => (hosts === 'one' ? 0 : owner * fanOut + index));
}

/** The records of the configurations' topic, made one by one: there may be very many. */
export function* configurationsOf(
  { owners, ...subscribers }: Subscribers,
  url: (endpoint: number) => string,
): Generator<Configuration> {
  for (let owner = 0; owner < owners; owner += 1) {
    for (const [index, endpoint] of endpointsOf(owner, subscribers).entries()) {
      const _id = `webhook-${owner}-${index}`;
      yield { key: _id, value: json(aConfiguration({ _id, _ownerId: nameOf(owner), url: url(endpoint) })) };
    }
  }
}
