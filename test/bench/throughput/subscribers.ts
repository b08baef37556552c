import { aConfiguration, json } from '../../support/builders.ts';
import { nameOf } from './certificates.ts';

/** Owners, their webhooks, and the hosts of those: one for all, or one for each webhook. */
export interface Subscribers {
  readonly owners: number;
  readonly webhooksPerOwner: number;
  readonly hosts: 'one' | 'each';
}

/** Returns the numbers of an owner's endpoints. */
export function endpointsOf(
  owner: number,
  { webhooksPerOwner, hosts }: Omit<Subscribers, 'owners'>,
): readonly number[] {
  return Array.from({ length: webhooksPerOwner }, (_, index) =>
    hosts === 'one' ? 0 : owner * webhooksPerOwner + index,
  );
}

/** Creates the records of an owner's webhooks in the configurations topic. */
export function configurationsOf(
  owner: number,
  subscribers: Omit<Subscribers, 'owners'>,
  url: (endpoint: number) => string,
) {
  return endpointsOf(owner, subscribers).map((endpoint, index) => {
    const _id = `webhook-${owner}-${index}`;
    return { key: _id, value: json(aConfiguration({ _id, _ownerId: nameOf(owner), url: url(endpoint) })) };
  });
}
