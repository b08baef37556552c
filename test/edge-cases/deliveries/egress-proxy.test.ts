import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startConnectProxy } from '../../support/endpoints/connect-proxy.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';

it('delivers only through the proxy, defers deliveries while the proxy refuses them, and never shows its password', async () => {
  await using proxy = await startConnectProxy({ credentials: 'service:hush' });
  const url = (password: string): string => `http://service:${password}@localhost:${proxy.port}`;
  await using files = await writeTemporaryFiles({ url: url('mistyped') });
  // The proxy resolves the name. The service itself would refuse this address.
  const environment = { DELIVERY_PROXY_URL_FILE: files.path('url'), DELIVERY_ALLOWED_NETWORKS: '' };
  await using platform = await startPlatform({ environment });
  await using service = await runService(platform.environment);
  const subscriber = aSubscriber(platform);
  await platform.configure(subscriber.configuration());
  const places = await platform.complete(subscriber.certificate());

  expect(await service.settled(platform.topics.completed, places)).toEqual(['retried']);
  const [deferred] = await service.logged('delivery.deferred');
  expect(deferred).toMatchObject({
    outcome: 'local_error',
    failure: 'the proxy refuses our user name and password',
    attempt: 1,
  });
  expect(platform.endpoint.connectionsOpened).toBe(0);

  await writeFile(files.path('url'), `${url('hush')}\n`);
  const [attempted] = await service.logged('delivery.attempted');
  expect(attempted).toMatchObject({ outcome: 'delivered', attempt: 1 });
  expect(subscriber.requests).toHaveLength(1);
  expect(new Set(proxy.targets)).toEqual(new Set([`localhost:${platform.endpoint.port}`]));
  expect(await service.logged('egress.delegated')).toMatchObject([{ proxy: `http://localhost:${proxy.port}` }]);

  const answers = await Promise.all(['/metrics', '/endpoints'].map(async (path) => (await service.get(path)).body));
  expect(confidentialLines(service.log, 'hush', 'mistyped')).toEqual([]);
  expect(answers.join()).not.toMatch(/hush|mistyped/);
  expect(await service.unaccounted()).toBe(0);
});
