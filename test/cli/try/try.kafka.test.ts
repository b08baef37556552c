import { beforeAll, describe, expect, it } from 'vitest';
import { aConfiguration } from '../../support/builders.ts';
import { keySetText, secretJwk } from '../../support/keys.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { startPlatform, webhookAt, type Platform } from '../../support/service/platform.ts';
import { run, runHere } from '../program.ts';

describe('the command try with a configurations topic', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform();
    await platform.configure(
      webhookAt(platform, '/old', { _id: 'mine' }),
      webhookAt(platform, '/other', { _id: 'another' }),
      webhookAt(platform, '/new', { _id: 'mine' }),
      webhookAt(platform, '/gone', { _id: 'gone' }),
      aConfiguration({ _id: 'refused', url: 'http://not.tls' }),
    );
    await platform.remove('gone');
    return async () => platform[Symbol.asyncDispose]();
  });

  it('sends to the newest version of a webhook, once', async () => {
    const { code, out, err } = await run(platform.environment, 'try', 'mine');
    expect([code, err]).toEqual([0, []]);
    expect(out.at(-1)).toBe('The service would count this as delivered, and not send it again.');
    expect(platform.endpoint.requests.map(({ path }) => path)).toEqual(['/new']);
    expect(await platform.tier('300ms')).toEqual([]);
  });

  it('plays the table at a receiver that accepts everything, and names its faults', async () => {
    const { code, out, err } = await runHere(platform.environment, 'try', 'mine', '--conformance');
    expect([code, err]).toEqual([1, []]);
    expect(out.filter((line) => line.startsWith('FAULT')).map((line) => line.slice(9, 25).trim())).toEqual([
      'wrong credential',
      'no credential',
      'content type',
      'broken JSON',
      'missing ids',
    ]);
  });

  it.each([
    ['unknown', 2, 'there is no configuration unknown in'],
    ['gone', 2, 'there is no configuration gone in'],
    ['refused', 2, 'the configuration refused is refused: url: must be an absolute https: URL'],
  ])('ends with 2 for one that is %s', async (id, code, problem) => {
    expect(await runHere(platform.environment, 'try', id)).toMatchObject({
      code,
      out: [],
      err: [expect.stringContaining(problem)],
    });
  });

  it('opens the sealed parts of a configuration', async () => {
    const document = webhookAt(platform, '/sealed', { _id: 'sealed' });
    await using files = await writeTemporaryFiles({
      'keys.json': keySetText(secretJwk('key')),
      'webhook.json': JSON.stringify(document),
    });
    const environment = { ...platform.environment, WEBHOOK_KEYS_FILE: files.path('keys.json') };
    const put = await runHere(environment, 'configurations', 'put', '--seal', files.path('webhook.json'));
    expect(put).toMatchObject({ code: 0 });
    expect(await runHere(environment, 'try', 'sealed')).toMatchObject({ code: 0 });
    expect(platform.endpoint.requests.at(-1)?.header('authorization')).toMatch(/^Bearer Zt7m/);
    expect(await runHere(platform.environment, 'try', 'sealed')).toMatchObject({ code: 2 });
  });

  it('ends with 1 for a topic that is missing, and for Kafka that is not there', async () => {
    const missing = { ...platform.environment, WEBHOOK_CONFIGURATIONS: 'kafka:no-such-topic' };
    expect(await runHere(missing, 'try', 'mine')).toMatchObject({
      code: 1,
      err: ['error: there is no topic no-such-topic: topics --create makes it'],
    });
    const elsewhere = { ...platform.environment, KAFKA_BROKERS: '127.0.0.1:1' };
    expect(await runHere(elsewhere, 'try', 'mine')).toMatchObject({
      code: 1,
      err: [expect.stringContaining("Kafka can't be reached")],
    });
  });
});
