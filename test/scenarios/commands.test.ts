import { describe, expect, it } from 'vitest';
import { printedCount, run, runHere } from '../cli/program.ts';
import { json } from '../support/builders.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { keySetText, rsaJwk } from '../support/keys.ts';
import { uniqueName } from '../support/kafka/topics.ts';
import { startOnce } from '../support/service/start-once.ts';
import { aSubscriber } from '../support/service/subscriber.ts';

describe('the commands, beside a running service', () => {
  const running = startOnce({ delays: ['100ms', '200ms'] });

  it('check the settings and the topics, and refuse what they do not know', { tags: ['I6'] }, async () => {
    const { environment } = running.platform;
    const secret = {
      KAFKA_SASL_MECHANISM: 'scram-sha-256',
      KAFKA_SASL_USERNAME: 'a',
      KAFKA_SASL_PASSWORD: 'hidden-word',
    };
    const checked = await runHere({ ...environment, ...secret }, 'check-config');
    expect(checked).toMatchObject({ code: 0, err: [] });
    expect(checked.out.join('\n')).toContain('KAFKA_SASL_PASSWORD');
    expect(checked.out.join('\n')).not.toContain('hidden-word');
    expect(await runHere({ ...environment, DELIVERY_TIMEOUT: '1' }, 'check-config')).toMatchObject({ code: 2 });
    const name = uniqueName('commands');
    const topics = {
      ...environment,
      KAFKA_GROUP_ID: name,
      CERTIFICATE_TOPICS: `${name}.completed=certificate_completed`,
      WEBHOOK_CONFIGURATIONS: `kafka:${name}.configurations`,
      RETRY_TOPIC_PREFIX: `${name}.retry`,
      DEAD_LETTER_TOPIC: `${name}.dead-letter`,
    };
    expect(await runHere(topics, 'topics')).toMatchObject({ code: 1 });
    expect(await runHere(topics, 'topics', '--create')).toMatchObject({ code: 0 });
    expect(await run(topics, 'topics')).toMatchObject({ code: 0 });
    expect(await run(topics, 'unknown')).toMatchObject({ code: 2 });
  });

  it('write, show, change and remove a configuration', { tags: ['I9'] }, async () => {
    const { platform } = running;
    const subscriber = aSubscriber(platform);
    const id = subscriber.webhookId;
    const key = rsaJwk('key');
    const configuration = json(subscriber.configuration());
    await using files = await writeTemporaryFiles({ 'a.json': configuration, 'keys.json': keySetText(key) });
    const file = files.path('a.json');
    const configurations = (...args: readonly string[]) => runHere(platform.environment, 'configurations', ...args);
    expect(await configurations('check', file)).toMatchObject({ code: 0 });
    const keys = { ...platform.environment, WEBHOOK_KEYS_FILE: files.path('keys.json') };
    const sealed = await runHere(keys, 'configurations', 'seal', file);
    expect(sealed.code).toBe(0);
    expect(JSON.parse(sealed.out.join('\n'))).toMatchObject({ _id: id, auth: expect.stringMatching(/^eyJ/) });
    expect(await configurations('put', file)).toMatchObject({ code: 0, out: [`new ${id}`] });
    expect((await configurations('list', '--owner', subscriber.ownerId)).out.at(-1)).toContain(id);
    expect((await configurations('export')).out.join('\n')).toContain(id);
    for (const verb of ['pause', 'resume']) expect(await configurations(verb, id)).toMatchObject({ code: 0 });
    expect(await configurations('accept')).toMatchObject({ code: 0 });
    expect(await configurations('remove', id)).toMatchObject({ code: 0, out: [`removed ${id}`] });
    expect(await configurations('remove', id)).toMatchObject({ code: 2 });
  });

  it('try a webhook, and tell the state of its endpoint', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [200, 500] });
    await platform.configure(subscriber.configuration());
    expect(await runHere(platform.environment, 'try', subscriber.webhookId)).toMatchObject({ code: 0 });
    expect(await runHere(platform.environment, 'try', subscriber.webhookId)).toMatchObject({ code: 1 });
    expect(subscriber.requests).toHaveLength(2);
    const ENDPOINTS_OF = new URL(service.url).host;
    const { code, out } = await runHere({ ENDPOINTS_OF }, 'endpoints', subscriber.webhookId, '--json');
    expect([code, out.map((line) => JSON.parse(line) as unknown)]).toMatchObject([
      0,
      [{ configurationId: subscriber.webhookId, circuit: 'closed', failures: 0 }],
    ]);
  });

  it('list dead letters and replay them', { tags: ['I2', 'I3'] }, async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500, 500, 500, 200] });
    const { ownerId } = subscriber;
    await platform.configure(subscriber.configuration());
    await platform.complete(subscriber.certificate());
    await service.logged('delivery.dead_lettered', 1, { ownerId });
    const listed = await runHere(platform.environment, 'dead-letters', 'list', '--owner', ownerId, '--json');
    expect(listed.out.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { 'dead-letter-reason': 'exhausted' },
    ]);
    const certificateId = String(subscriber.certificate()['_id']);
    const of = ['--certificate', certificateId, '--owner', ownerId];
    const explained = await runHere(platform.environment, 'explain', ...of, '--json');
    const attempts = [1, 2, 3].map((attempt) => ({ attempt, outcome: 'http_error', status: 500 }));
    expect([explained.code, explained.out.map((line) => JSON.parse(line) as unknown)]).toMatchObject([
      0,
      [
        {
          webhooks: [{ configurationId: subscriber.webhookId, state: 'dead_lettered', reason: 'exhausted', attempts }],
        },
      ],
    ]);
    expect((await runHere(platform.environment, 'retries', 'list', ...of)).code).toBe(0);
    const replayed = await runHere(platform.environment, 'dead-letters', 'replay', '--owner', ownerId);
    expect([replayed.code, printedCount(replayed, 'replayed')]).toEqual([0, 1]);
    const [line] = await service.logged('delivery.attempted', 1, { ownerId, outcome: 'delivered' });
    expect(line).toMatchObject({ attempt: 1, deliveryId: expect.stringContaining(subscriber.webhookId) });
    expect(subscriber.requests.map(({ body }) => body)).toEqual(Array(4).fill(subscriber.requests[0]?.body));
  });

  it('deliver a period again to a webhook that came late', { tags: ['I8'] }, async () => {
    const { platform, service } = running;
    const first = aSubscriber(platform);
    await platform.configure(first.configuration());
    await platform.complete(first.certificate());
    await service.logged('delivery.attempted', 1, { ownerId: first.ownerId, outcome: 'delivered' });
    const late = aSubscriber(platform, { ownerId: first.ownerId });
    await platform.configure(late.configuration());
    const ran = await runHere(platform.environment, 'redeliver', '--configuration', late.webhookId, '--since', '1h');
    expect(ran.code).toBe(0);
    await service.logged('delivery.attempted', 1, { configurationId: late.webhookId, outcome: 'delivered' });
    expect([first.requests.length, late.requests.length]).toEqual([1, 1]);
  });
});
