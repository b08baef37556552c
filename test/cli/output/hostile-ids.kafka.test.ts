import { describe, expect, it } from 'vitest';
import { aConfiguration, json } from '../../support/builders.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { deadDelivery, theDelivery, writeDeadLetters } from '../dead-letters/dead-letters.ts';
import { runHere } from '../program.ts';

const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((one) =>
  /\p{Cc}/u.test(one),
);
const unprintable = `${controls.join('')}\u061C\u200E\u2028\u2029\u202A\u202E\u2066\u2069`;
const id = (name: string): string => `${name}${unprintable}\nremoved everything`;

describe('the output of a command', () => {
  it('holds no control or bidirectional character of an id or an argument', async () => {
    await using platform = await startPlatform();
    const { kafka, topics } = platform;
    const topic = uniqueName('dead-letter');
    const configurations = uniqueName('configurations');
    await createTopics(kafka, [{ topic }, { topic: configurations, settings: { 'cleanup.policy': 'compact' } }]);
    const delivery = theDelivery(topics.completed, 1, {
      webhookId: id('webhook'),
      ownerId: id('owner'),
      certificateId: id('certificate'),
    });
    await writeDeadLetters(kafka, topic, [deadDelivery(delivery)]);
    const own = aConfiguration({ _id: id('webhook'), _ownerId: id('owner'), auth: { authType: 'none' } });
    await using files = await writeTemporaryFiles({
      'good.json': json(own),
      'bad.json': json({ ...own, url: 'http://example.com/', events: [] }),
    });
    const environment = {
      ...platform.environment,
      DEAD_LETTER_TOPIC: topic,
      WEBHOOK_CONFIGURATIONS: `kafka:${configurations}`,
      ENDPOINTS_OF: 'localhost:1',
    };
    const [good, bad] = [files.path('good.json'), files.path('bad.json')];
    for (const command of [
      ['configurations', 'check', bad],
      ['check-config', bad],
      ['configurations', 'put', bad],
      ['configurations', 'put', good],
      ['configurations', 'put', good],
      ['configurations', 'pause', id('webhook')],
      ['configurations', 'resume', id('webhook'), id('webhook')],
      ['configurations', 'resume', id('webhook'), id('unknown')],
      ['configurations', 'list'],
      ['configurations', 'list', '--json'],
      ['configurations', 'export'],
      ['try', id('unknown')],
      ['try', bad],
      ['endpoints', id('unknown')],
      ['dead-letters', 'list'],
      ['dead-letters', 'list', '--json'],
      ['dead-letters', 'replay', '--dry-run'],
      ['dead-letters', 'replay'],
      ['redeliver', '--configuration', id('unknown'), '--since', '1h'],
      ['configurations', 'remove', id('webhook')],
      ['configurations', id('verb')],
      ['topics', id('operand')],
      [id('command')],
    ]) {
      const { out, err } = await runHere(environment, ...command);
      const printed = [...out, ...err].join('');
      expect.soft(printed, command.join(' ')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|^removed everything/mu);
      for (const line of out.filter((one) => one.startsWith('{')))
        expect(Object.values(JSON.parse(line) as object)).toContain(id('owner'));
    }
  });
});
