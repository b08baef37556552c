import { rename, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { keySet, keySetText, secretJwk, type Jwk } from '../../support/keys.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { sealWith } from '../../webhooks/opening.ts';

async function startWithKeys(platform: Platform, ...keys: readonly Jwk[]) {
  const files = await writeTemporaryFiles({ 'keys.json': keySetText(...keys) });
  const service = await runService({ ...platform.environment, WEBHOOK_KEYS_FILE: files.path('keys.json') });
  return {
    service,
    /** Replaces the file by renaming, like an editor or a mounted Secret. */
    changeKeys: async (...changed: readonly Jwk[]) => {
      await writeFile(files.path('next.json'), keySetText(...changed));
      await rename(files.path('next.json'), files.path('keys.json'));
    },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    },
  };
}

const tiers = { delays: ['500ms', '1s', '2s', '4s', '8s'] };

describe('a sealed configuration', () => {
  it('without a matching key gets no request; its deliveries wait for the key', async () => {
    await using platform = await startPlatform(tiers);
    const [right, wrong] = [secretJwk('right'), secretJwk('wrong')];
    const subscriber = aSubscriber(platform);
    await using running = await startWithKeys(platform, wrong);
    const { service, changeKeys } = running;
    await platform.configure(await sealWith(keySet(right), subscriber.configuration()));
    await platform.complete(subscriber.certificate());
    const { ownerId, webhookId } = subscriber;
    await service.logged('delivery.deferred', 2, { ownerId, outcome: 'configuration_invalid' });
    const [refused] = await service.logged('configuration.refused', 1, { configurationId: webhookId });
    const how = 'is sealed by A256KW with the key "right", and WEBHOOK_KEYS_FILE holds no such key';
    expect(refused).toMatchObject({ ownerId, problems: [`auth: ${how}`, `customHeaders: ${how}`] });
    expect(subscriber.requests).toEqual([]);
    expect(await service.metric('webhook_configurations{state="invalid"}')).toBe(1);

    await changeKeys(right, wrong);
    await service.logged('keys.reloaded', 1, { keys: 2 });
    const [line] = await service.logged('delivery.attempted', 1, { ownerId });
    expect(line).toMatchObject({ attempt: 1, outcome: 'delivered' });
    expect(subscriber.requests.map((request) => request.header('authorization'))).toEqual([
      'Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA',
    ]);
    expect(await service.metric('webhook_configurations{state="active"}')).toBe(1);

    const { body } = await service.get('/metrics');
    const { body: endpoints } = await service.get('/endpoints');
    const output = [...service.log, { body }, { endpoints }];
    expect(confidentialLines(output, ...secretsOf([right, wrong]))).toEqual([]);
    expect(await service.unaccounted()).toBe(0);
  });
});

function secretsOf(keys: readonly Jwk[]): readonly string[] {
  return keys.flatMap(({ k, d, p }) => [k, d, p]).filter((value) => value !== undefined);
}
