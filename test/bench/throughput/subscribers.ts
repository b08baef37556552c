import { aConfiguration, json } from '../../support/builders.ts';
import type { Configuration } from '../surroundings.ts';
import { nameOf } from './certificates.ts';

/** Who is subscribed: each owner has so many webhooks, all of them at one host or each at one of its own. */
export interface Subscribers {
  readonly owners: number;
  readonly fanOut: number;
  readonly hosts: 'one' | 'each';
}

/** The endpoints of an owner, by number. */
export function endpointsOf(owner: number, { fanOut, hosts }: Subscribers): readonly number[] {
  return Array.from({ length: fanOut }, (_, index) => (hosts === 'one' ? 0 : owner * fanOut + index));
}

/** The records of the configurations' topic. */
export function configurationsOf(
  subscribers: Subscribers,
  url: (endpoint: number) => string,
): readonly Configuration[] {
  return Array.from({ length: subscribers.owners }, (_, owner) =>
    endpointsOf(owner, subscribers).map((endpoint, index) => {
      const _id = `webhook-${owner}-${index}`;
      return { key: _id, value: json(aConfiguration({ _id, _ownerId: nameOf(owner), url: url(endpoint) })) };
    }),
  ).flat();
}
