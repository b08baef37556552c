import { expect, it } from 'vitest';
import { lookUp } from '../../src/deliveries/plan.ts';
import type { Webhook } from '../../src/webhooks/webhook.ts';
import { aWebhook } from '../flow/support/gates-under-test.ts';
import { aDelivery } from '../support/builders.ts';

const delivery = aDelivery();
const wants: Webhook['wants'] = (eventType) => eventType === delivery.eventType;
const webhook: Webhook = { ...aWebhook(delivery.webhookId), ownerId: delivery.ownerId, wants };
const invalid: Webhook = { ...webhook, state: 'invalid' };

it.each<{ readonly is: string; readonly found: Webhook | undefined; readonly kind: string | undefined }>([
  { is: 'active', found: webhook, kind: undefined },
  { is: 'paused', found: { ...webhook, state: 'paused' }, kind: 'paused' },
  { is: 'disabled', found: { ...webhook, state: 'disabled' }, kind: 'unsubscribed' },
  { is: 'invalid', found: invalid, kind: 'configuration_invalid' },
  { is: 'invalid, of nobody', found: { ...invalid, ownerId: undefined }, kind: 'configuration_invalid' },
  { is: 'removed', found: undefined, kind: 'unsubscribed' },
  { is: "another owner's", found: { ...webhook, ownerId: 'another' }, kind: 'unsubscribed' },
  { is: 'for other events', found: { ...webhook, wants: () => false }, kind: 'unsubscribed' },
])('a webhook that is $is leads to $kind', ({ found, kind }) => {
  const byId = (id: string): Webhook | undefined => (id === delivery.webhookId ? found : undefined);
  expect(lookUp(delivery, { byId })).toEqual(kind === undefined ? webhook : { kind });
});
