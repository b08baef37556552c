import { expect, it } from 'vitest';
import { aConfiguration } from '../../support/builders.ts';
import { startPlatform, webhookAt } from '../../support/service/platform.ts';
import { runHere } from '../program.ts';

it('the command try ends with 2 for a webhook that the topic does not hold, or no longer, or that is refused', async () => {
  await using platform = await startPlatform();
  const refused = aConfiguration({ _id: 'refused', url: 'http://not.tls' });
  await platform.configure(webhookAt(platform, '/gone', { _id: 'gone' }), refused);
  await platform.remove('gone');
  for (const [id, problem] of [
    ['unknown', 'there is no configuration unknown in'],
    ['gone', 'there is no configuration gone in'],
    ['refused', 'the configuration refused is refused: url: must be an absolute https: URL'],
  ] as const) {
    const err = [expect.stringContaining(problem)];
    expect(await runHere(platform.environment, 'try', id)).toMatchObject({ code: 2, out: [], err });
  }
});
