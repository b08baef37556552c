import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { json } from '../../support/builders.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';

describe('a file of configurations', () => {
  it('is reloaded when it changes; while it is invalid, the last valid version stays in use', async () => {
    await using platform = await startPlatform();
    const early = aSubscriber(platform);
    const late = aSubscriber(platform);
    await using files = await writeTemporaryFiles({ 'webhooks.json': json(early.configuration()) });
    const path = files.path('webhooks.json');
    await using service = await runService({ ...platform.environment, WEBHOOK_CONFIGURATIONS: `file:${path}` });
    const complete = async (...subscribers: readonly Subscriber[]): Promise<readonly unknown[]> => {
      const places = await platform.complete(...subscribers.map((subscriber) => subscriber.certificate()));
      return service.settled(platform.topics.completed, places);
    };
    expect(await complete(early, late)).toEqual(['delivered', 'unclaimed']);

    await writeFile(path, json([early.configuration(), late.configuration()]));
    expect(await service.logged('configurations.reloaded')).toMatchObject([{ configurations: 2 }]);
    expect(await complete(early, late)).toEqual(['delivered', 'delivered']);

    await writeFile(path, '[{ "_id": ');
    expect(await service.logged('configurations.reload_failed')).toMatchObject([{ level: 'warn', path }]);
    expect(await service.metric('configuration_reload_failures_total')).toBe(1);
    expect(await complete(early, late)).toEqual(['delivered', 'delivered']);

    await writeFile(path, json([late.configuration(), early.configuration({ enabled: false })]));
    expect(await service.logged('configurations.reloaded', 2)).toHaveLength(2);
    expect(await complete(early, late)).toEqual(['unclaimed', 'delivered']);

    expect(await service.unaccounted()).toBe(0);
    expect(confidentialLines(service.log)).toEqual([]);
  });
});
