import { describe, expect, it } from 'vitest';
import { sealDocument } from '../../../src/webhooks/sealing/seal-document.ts';
import { json } from '../../support/builders.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { produce } from '../../support/kafka/records.ts';
import { keySet, keySetText, secretJwk } from '../../support/keys.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

const tiers = { delays: ['500ms', '1s', '2s', '4s', '8s'] };

describe('a sealed configuration with a field nested 10,000 deep', () => {
  it('is refused alone, at each start, and its deliveries wait for its correction', async () => {
    await using platform = await startPlatform(tiers);
    const key = secretJwk('key');
    await using files = await writeTemporaryFiles({ 'keys.json': keySetText(key) });
    const [healthy, hostile] = [aSubscriber(platform), aSubscriber(platform)];
    const sealed = async (subscriber: Subscriber): Promise<object> => {
      const [sealing] = keySet(key);
      if (sealing === undefined) throw new Error('There is a key.');
      const document = subscriber.configuration();
      return { ...document, ...(await sealDocument(document, sealing)) };
    };
    const text = JSON.stringify(await sealed(hostile));
    const deep = `${text.slice(0, -1)},"extra":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    await produce(platform.kafka, platform.topics.configurations, [
      { key: hostile.webhookId, value: deep },
      { key: healthy.webhookId, value: json({ ...(await sealed(healthy)) }) },
    ]);
    for (const _start of ['first', 'second']) {
      await using service = await runService({ ...platform.environment, WEBHOOK_KEYS_FILE: files.path('keys.json') });
      const [refused] = await service.logged('configuration.refused', 1, { configurationId: hostile.webhookId });
      expect(refused).toMatchObject({
        ownerId: hostile.ownerId,
        problems: ['must not be nested more than 32 deep'],
      });
      const places = await platform.complete(healthy.certificate(), hostile.certificate());
      expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered', 'retried']);
      expect(await service.unaccounted()).toBe(0);
    }
    await using service = await runService({ ...platform.environment, WEBHOOK_KEYS_FILE: files.path('keys.json') });
    await platform.configure({ ...(await sealed(hostile)) });
    await service.logged('delivery.attempted', 2, { ownerId: hostile.ownerId, outcome: 'delivered' });
    expect(hostile.requests).toHaveLength(2);
  });
});
