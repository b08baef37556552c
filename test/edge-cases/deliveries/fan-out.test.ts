import { describe, expect, it } from 'vitest';
import { aCertificateDocument, json, type Document } from '../../support/builders.ts';
import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import { produce } from '../../support/kafka/records.ts';
import { certificates, startPlatform, webhookAt } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';

const webhooks = 30;
const ofMany = 10;
const all = webhooks * ofMany + 1;

describe('an owner with many webhooks', () => {
  it('lets another owner behind its certificates take turns, and loses and repeats nothing over a restart', async () => {
    await using platform = await startPlatform({
      environment: { DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '2', DELIVERY_MAX_WAITING_PER_ENDPOINT: '4' },
    });
    const { endpoint, kafka, topics } = platform;
    await platform.configure(
      ...Array.from({ length: webhooks }, (_, number) => webhookAt(platform, `/many-${number}`, { _ownerId: 'many' })),
      webhookAt(platform, '/single', { _ownerId: 'single' }),
    );
    const documents = [...certificates(ofMany, { _ownerId: 'many' }), aCertificateDocument({ _ownerId: 'single' })];
    // One request, so that the service reads all of them together.
    await produce(
      kafka,
      topics.completed,
      documents.map((document) => ({ value: json(document) })),
    );
    {
      await using first = await runService(platform.environment);
      await endpoint.received(all / 3);
      expect(await first.stop()).toBe(true);
    }
    const before = endpoint.requests;
    expect(before.length).toBeLessThan(all);
    await using _second = await runService(platform.environment);
    await endpoint.received(all);

    expect(endpoint.requests.findIndex(({ path }) => path === '/single')).toBeLessThan(all / 3);
    expect(new Set(endpoint.requests.map(deliveryOf)).size).toBe(all);
    expect(endpoint.requests).toHaveLength(all);
    expect(await platform.deadLetters()).toEqual([]);
  });
});

/** Names the webhook and the certificate of a request. */
function deliveryOf({ path, body }: ReceivedRequest): string {
  return `${path} ${String((JSON.parse(body.toString()) as Document)['_id'])}`;
}
