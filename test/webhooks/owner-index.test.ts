import { expect, it } from 'vitest';
import { OwnerIndex } from '../../src/webhooks/directory.ts';
import { costAgainst } from '../support/time/processor-time.ts';

function aWebhook(id: string, plannedOwnerId: string | undefined) {
  return { id, plannedOwnerId };
}

it('lists the webhooks of an owner in the order in which they came', () => {
  const index = new OwnerIndex();
  const [one, two, three] = ['1', '2', '3'].map((id) => aWebhook(id, 'owner'));
  if (one === undefined || two === undefined || three === undefined) throw new Error('three webhooks are expected');
  for (const webhook of [one, two, three, aWebhook('4', 'other'), aWebhook('5', undefined)]) index.add(webhook);
  expect(index.of('owner')).toEqual([one, two, three]);
  index.remove(one);
  expect(index.of('owner')).toEqual([two, three]);
  index.add(one);
  expect(index.of('owner')).toEqual([two, three, one]);
});

it('shares one list among all who ask, until a webhook of the owner changes', () => {
  const index = new OwnerIndex();
  const [one, two, three] = [aWebhook('1', 'owner'), aWebhook('2', 'owner'), aWebhook('3', 'owner')];
  for (const webhook of [one, two]) index.add(webhook);
  const list = index.of('owner');
  index.add(aWebhook('4', 'other'));
  expect(index.of('owner')).toBe(list);
  index.add(three);
  const changed = index.of('owner');
  expect([changed === list, index.of('owner') === changed]).toEqual([false, true]);
  index.remove(three);
  expect(index.of('owner')).toEqual([one, two]);
  expect([list, changed]).toEqual([
    [one, two],
    [one, two, three],
  ]);
});

it('keeps one webhook of an owner, however often others come and go', () => {
  const index = new OwnerIndex();
  const [one, two] = [aWebhook('1', 'owner'), aWebhook('2', 'owner')];
  for (let round = 0; round < 3; round += 1) {
    index.add(one);
    index.add(two);
    index.remove(one);
    expect(index.of('owner')).toEqual([two]);
    index.remove(two);
    expect(index.of('owner')).toEqual([]);
  }
  index.remove(one);
  index.add(two);
  index.remove(one);
  expect(index.of('owner')).toEqual([two]);
});

it('replaces 40,000 webhooks of one owner without copying the others for each', () => {
  const replaceAll = (ownerOf: (number: number) => string) => (): void => {
    const index = new OwnerIndex();
    const webhooks = Array.from({ length: 40_000 }, (_, number) => aWebhook(String(number), ownerOf(number)));
    for (const webhook of webhooks) index.add(webhook);
    for (const webhook of webhooks) {
      index.remove(webhook);
      index.add(webhook);
    }
    expect(index.of(ownerOf(0)).length).toBeGreaterThan(0);
  };
  // One copy of the list for each change takes hundreds of times as long.
  const ofOne = replaceAll(() => 'owner');
  expect(costAgainst(replaceAll(String), ofOne)).toBeLessThan(20);
});
