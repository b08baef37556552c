import { beforeAll, describe, expect, it } from 'vitest';
import { aConfiguration } from '../../support/builders.ts';
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
});
