import { describe, expect, it } from 'vitest';
import { aCertificateDocument, aConfiguration, authentications } from '../support/builders.ts';
import { startPlatform } from '../support/service/platform.ts';
import { needs } from '../support/programs/needs.ts';
import { runService } from '../support/service/service-under-test.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';

describe('the example receivers', needs('python'), () => {
  it('store a repeated, a first refused and an expired certificate once each', async () => {
    await using platform = await startPlatform({ delays: ['300ms', '1s', '3s', '9s'] });
    const identity = platform.authority.issue();
    await using inNode = await startReceiver('receiver.mjs', { identity, credentials: ['X-API-Key: the right key'] });
    await using inPython = await startReceiver('receiver.py', { identity, credentials: ['X-API-Key: the right key'] });
    const auth = { authType: 'api_key', token: 'the right key' };
    await platform.configure(
      webhook('node', inNode, { auth }),
      webhook('python', inPython, { auth: authentications.api_key }),
    );
    await using service = await runService(platform.environment);

    const completed = aCertificateDocument({ expires: null });
    const expired = aCertificateDocument({ expires: '2026-03-14T09:26:53.589Z' });
    await platform.complete(completed, completed);
    await platform.expire(expired);
    await service.logged('delivery.attempted', 3, { configurationId: 'python', status: 401 });
    await platform.configure(webhook('python', inPython, { auth }));

    for (const [configurationId, receiver] of [['node', inNode] as const, ['python', inPython] as const]) {
      await service.logged('delivery.attempted', 3, { configurationId, status: 204, settlement: 'done' });
      const stored = receiver.stored().map(({ event, body }) => ({ event, body }));
      expect(stored).toHaveLength(2);
      expect(stored).toContainEqual({ event: 'certificate_completed', body: completed });
      expect(stored).toContainEqual({ event: 'certificate_expired', body: expired });
    }
  });
});

function webhook(id: string, { port }: Receiver, overrides: Readonly<Record<string, unknown>>) {
  return aConfiguration({ _id: id, url: `https://localhost:${port}/certificates`, ...overrides });
}
