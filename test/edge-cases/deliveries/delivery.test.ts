import { describe, expect, it } from 'vitest';
import { aCertificateDocument, json } from '../../support/builders.ts';
import { webhookAt, startPlatform } from '../../support/service/platform.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';
import { runService } from '../../support/service/service-under-test.ts';

describe('a certificate', () => {
  it('reaches the webhook of its owner byte for byte', async () => {
    await using platform = await startPlatform();
    await platform.configure(webhookAt(platform, '/a'));
    await using service = await runService(platform.environment);
    await platform.complete(aCertificateDocument());
    const [request] = await platform.endpoint.received(1);
    expect(request?.body).toEqual(json(aCertificateDocument()));
    await service.logged('delivery.attempted');
  });

  it('has no log line once it is delivered, with LOG_DELIVERIES=failed', async () => {
    await using platform = await startPlatform({ environment: { LOG_DELIVERIES: 'failed' } });
    const working = aSubscriber(platform);
    const failing = aSubscriber(platform, { answers: [500, 200] });
    await platform.configure(working.configuration(), failing.configuration());
    await using service = await runService(platform.environment);
    await platform.complete(working.certificate(), failing.certificate());
    await platform.endpoint.received(3);
    await service.stop();
    const attempts = service.log.filter(({ event }) => event === 'delivery.attempted');
    expect(attempts).toMatchObject([{ outcome: 'http_error', status: 500, settlement: 'retry' }]);
  });
});
