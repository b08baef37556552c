import { aConfiguration, json } from '../../support/builders.ts';
import type { ConfigurationRecord } from '../service-topics.ts';
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

/** Creates the records of the configurations' topic one by one, because there may be a million. */
export function* configurationsOf(
  { owners, ...subscribers }: Subscribers,
  url: (endpoint: number) => string,
): Generator<ConfigurationRecord> {
  for (let owner = 0; owner < owners; owner += 1) {
    for (const [index, endpoint] of endpointsOf(owner, subscribers).entries()) {
      const _id = `webhook-${owner}-${index}`;
      yield { key: _id, value: json(aConfiguration({ _id, _ownerId: nameOf(owner), url: url(endpoint) })) };
    }
  }
}
