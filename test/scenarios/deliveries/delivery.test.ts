import { describe, expect, it } from 'vitest';
import { aCertificateDocument, json } from '../../support/builders.ts';
import { webhookAt, startPlatform } from '../../support/service/platform.ts';
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
});
