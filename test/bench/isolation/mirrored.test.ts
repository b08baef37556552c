import { expect, it } from 'vitest';
import { mirrored } from './mirrored.ts';

it.each([
  [0, ['without', 'having', 'having', 'without']],
  [1, ['having', 'without', 'without', 'having']],
])('measures both twice in round %i, the second time in reverse', async (round, order) => {
  const measured: string[] = [];
  await mirrored(round, (which) => {
    measured.push(which);
    return Promise.resolve({ latenciesMs: [1], untilRequestMs: [1], stolen: 0, backlog: { deliveries: 1, ms: 1 } });
  });
  expect(measured).toEqual(order);
});

it('costs neither anything that a machine gets slower evenly', async () => {
  let ms = 0;
  const pair = await mirrored(0, () => {
    ms += 100;
    return Promise.resolve({
      latenciesMs: [1],
      untilRequestMs: [1],
      stolen: ms / 1000,
      backlog: { deliveries: 100, ms },
    });
  });
  expect(pair.having).toEqual(pair.without);
});
