import { rename, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { sealDocument } from '../../../src/webhooks/sealing/seal-document.ts';
import { json, type Document } from '../../support/builders.ts';
import { curveJwk, keySet, keySetText, publicHalf, rsaJwk, secretJwk, type Jwk } from '../../support/keys.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';

async function sealed(document: Document, jwk: Jwk): Promise<Document> {
  const [key] = keySet(jwk);
  if (key === undefined) throw new Error('There is a key.');
  return { ...document, ...(await sealDocument(document, key)) };
}

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
  it('is used with its credential and headers, for each type of key', async () => {
    await using platform = await startPlatform(tiers);
    const keys = [secretJwk('secret'), rsaJwk('rsa'), curveJwk('p256', 'P-256')];
    const subscribers = keys.map(() => aSubscriber(platform));
    // Sealing needs only the public half of an asymmetric key.
    const sealing = [keys[0] ?? {}, ...keys.slice(1).map(publicHalf)];
    const documents = subscribers.map((subscriber, index) => sealed(subscriber.configuration(), sealing[index] ?? {}));
    await platform.configure(...(await Promise.all(documents)));
    await using running = await startWithKeys(platform, ...keys);
    const { service } = running;
    const places = await platform.complete(...subscribers.map((subscriber) => subscriber.certificate()));
    expect(await service.settled(platform.topics.completed, places)).toEqual(keys.map(() => 'delivered'));
    for (const { requests } of subscribers) {
      expect(requests.map((request) => [request.header('authorization'), request.header('x-environment')])).toEqual([
        ['Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA', 'production'],
      ]);
    }
    expect(confidentialLines(service.log, ...secretsOf(keys))).toEqual([]);
  });

  it('without a matching key gets no request; its deliveries wait for the key', async () => {
    await using platform = await startPlatform(tiers);
    const [right, wrong] = [secretJwk('right'), secretJwk('wrong')];
    const subscriber = aSubscriber(platform);
    await using running = await startWithKeys(platform, wrong);
    const { service, changeKeys } = running;
    await platform.configure(await sealed(subscriber.configuration(), right));
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

  it('is not used for another address when it was copied without the key', async () => {
    await using platform = await startPlatform(tiers);
    const key = secretJwk('key');
    const [owner, attacker] = [aSubscriber(platform), aSubscriber(platform, { url: 'https://attacker.example/' })];
    await using running = await startWithKeys(platform, key);
    const { service } = running;
    const { auth, customHeaders } = await sealed(owner.configuration(), key);
    await platform.configure(
      attacker.configuration({ auth }),
      owner.configuration({ auth, customHeaders, url: 'https://attacker.example/' }),
    );
    await platform.complete(attacker.certificate(), owner.certificate());
    for (const { ownerId } of [attacker, owner]) {
      await service.logged('delivery.deferred', 1, { ownerId, outcome: 'configuration_invalid' });
    }
    expect(service.log.filter(({ event }) => event === 'delivery.attempted')).toEqual([]);
  });

  it('always applies to the next certificate', async () => {
    await using platform = await startPlatform(tiers);
    const key = secretJwk('key');
    await using running = await startWithKeys(platform, key);
    const { service } = running;
    const subscriber = aSubscriber(platform);
    for (let version = 1; version <= 10; version += 1) {
      const auth = { authType: 'bearer_token', token: String(version) };
      await platform.configure(await sealed(subscriber.configuration({ auth }), key));
      const newcomer = { _id: `newcomer-${version}`, _ownerId: `newcomer-${version}` };
      await platform.configure(await sealed(subscriber.configuration(newcomer), key));
      const places = await platform.complete(subscriber.certificate(), subscriber.certificate(newcomer));
      expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered', 'delivered']);
      expect(subscriber.requests.at(-2)?.header('authorization') ?? '').toMatch(/^Bearer /);
      const tokens = subscriber.requests.slice(-2).map((request) => request.header('authorization'));
      expect(tokens).toContain(`Bearer ${version}`);
    }
  });
});

describe('sealed configurations in files', () => {
  it('are opened; plain ones are refused when sealing is required', async () => {
    await using platform = await startPlatform({ environment: { WEBHOOK_REQUIRE_SEALED: 'true' } });
    const key = secretJwk('key');
    const [sealedOne, plainOne] = [aSubscriber(platform), aSubscriber(platform)];
    const documents = [await sealed(sealedOne.configuration(), key), plainOne.configuration()];
    await using files = await writeTemporaryFiles({ 'webhooks.json': json(documents), 'keys.json': keySetText(key) });
    await using service = await runService({
      ...platform.environment,
      WEBHOOK_CONFIGURATIONS: `file:${files.path('webhooks.json')}`,
      WEBHOOK_KEYS_FILE: files.path('keys.json'),
    });
    const [refused] = await service.logged('configuration.refused');
    expect(refused).toMatchObject({
      configurationId: plainOne.webhookId,
      problems: ['auth: must be sealed', 'customHeaders: must be sealed'],
    });
    const [place] = await platform.complete(sealedOne.certificate());
    expect(await service.settled(platform.topics.completed, place === undefined ? [] : [place])).toEqual(['delivered']);
  });
});

function secretsOf(keys: readonly Jwk[]): readonly string[] {
  return keys.flatMap(({ k, d, p }) => [k, d, p]).filter((value) => value !== undefined);
}
