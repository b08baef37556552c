import { expect, it } from 'vitest';
import { aConfiguration, json } from '../support/builders.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { runHere } from './program.ts';

const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((one) =>
  /\p{Cc}/u.test(one),
);
const unprintable = `${controls.join('')}\u061C\u200E\u2028\u2029\u202A\u202E\u2066\u2069`;
const id = (name: string): string => `${name}${unprintable}\nremoved everything`;

it('the output of a command holds no control or bidirectional character of an id or an argument', async () => {
  const bad = aConfiguration({ _id: id('webhook'), _ownerId: id('owner'), url: 'http://example.com/', events: [] });
  await using files = await writeTemporaryFiles({ 'bad.json': json(bad) });
  const file = files.path('bad.json');
  for (const command of [
    ['configurations', 'check', file],
    ['check-config', file],
    ['try', file],
    ['configurations', id('verb')],
    ['topics', id('operand')],
    [id('command')],
  ]) {
    const { out, err } = await runHere({ KAFKA_BROKERS: 'localhost:1' }, ...command);
    const printed = [...out, ...err].join('');
    expect.soft(printed, command.join(' ')).toContain('removed everything');
    expect.soft(printed, command.join(' ')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|^removed everything/mu);
  }
});
