import { expect, it } from 'vitest';
import { LogGrowth } from '../../../src/kafka/consumer/assignment.ts';

it('dates a backlog by the fetch that first told of it', () => {
  const growth = new LogGrowth();
  growth.note(100, 5000);
  growth.note(200, 9000);
  expect([0, 99, 100, 199, 200].map((offset) => growth.inLogSince(offset, 20_000))).toEqual([
    5000, 5000, 9000, 9000, 20_000,
  ]);
});

it('never dates a record earlier than a fetch that told of it, whatever is left out', () => {
  const growth = new LogGrowth();
  for (let second = 0; second < 500; second += 1) growth.note(second + 1, second * 500);
  for (let offset = 0; offset < 500; offset += 1) {
    expect(growth.inLogSince(offset, 400_000)).toBeGreaterThanOrEqual(offset * 500);
  }
  // One end a second is remembered, and 64 of them.
  expect(growth.inLogSince(499, 400_000)).toBe(400_000);
});
