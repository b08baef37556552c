import { expect, it } from 'vitest';
import { UnknownIds } from '../../../src/certificates/registry/schemas.ts';

const minuteMs = 60_000;

it('forgets the oldest of more than a thousand ids, because records may contain any id', () => {
  const ids = new UnknownIds();
  for (let id = 0; id <= 1000; id += 1) ids.add(id, 0);
  for (let id = 0; id <= 1000; id += 1) ids.add(id, 5 * minuteMs);
  // Each id was forgotten just before it was added again.
  expect(ids.isGivenUp(1000, 5 * minuteMs)).toBe(false);
  ids.add(1000, 10 * minuteMs);
  expect(ids.isGivenUp(1000, 10 * minuteMs)).toBe(true);
});

it('does not give up an id that has become known', () => {
  const ids = new UnknownIds();
  ids.add(1, 0);
  ids.forget(1);
  ids.add(1, 5 * minuteMs);
  expect(ids.isGivenUp(1, 5 * minuteMs)).toBe(false);
});
