import { expect, it } from 'vitest';
import { UnknownIds } from '../../../src/certificates/registry/unknown-ids.ts';

const minuteMs = 60_000;

it('forgets the oldest of very many, since records may hold any id', () => {
  const ids = new UnknownIds();
  for (let id = 0; id <= 1000; id += 1) ids.note(id, 0);
  for (let id = 0; id <= 1000; id += 1) ids.note(id, 5 * minuteMs);
  // Each was forgotten just before it came again.
  expect(ids.isGivenUp(1000, 5 * minuteMs)).toBe(false);
  ids.note(1000, 10 * minuteMs);
  expect(ids.isGivenUp(1000, 10 * minuteMs)).toBe(true);
});

it('gives up nothing that has become known', () => {
  const ids = new UnknownIds();
  ids.note(1, 0);
  ids.forget(1);
  ids.note(1, 5 * minuteMs);
  expect(ids.isGivenUp(1, 5 * minuteMs)).toBe(false);
});
