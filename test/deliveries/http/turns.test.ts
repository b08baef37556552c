import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from '../../../src/deliveries/http/turns.ts';

it('lets a limited number in at once, first come, first served', async () => {
  const turns = new Turns(2);
  const events: string[] = [];
  const leave = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const visits = leave.map(async ({ promise }, index) => {
    using _turn = await turns.take();
    events.push(`${index} in`);
    await promise;
    events.push(`${index} out`);
  });
  await setImmediate();
  expect(events).toEqual(['0 in', '1 in']);
  leave[1]?.resolve();
  await setImmediate();
  expect(events.slice(2)).toEqual(['1 out', '2 in']);
  for (const { resolve } of leave) resolve();
  await Promise.all(visits);
  expect(events).toHaveLength(8);
});
