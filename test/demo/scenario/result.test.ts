import { describe, expect, it } from 'vitest';
import { ZodError } from 'zod';
import { json } from '../../support/builders.ts';
import { parseResults } from './result.ts';

const attempt = {
  type: 'delivery.attempted',
  at: 'now',
  configurationId: 'hook',
  deliveryId: 't/0/1/hook',
  attempt: 1,
};
const change = {
  type: 'endpoint.changed',
  at: 'now',
  configurationId: 'hook',
  from: 'open',
  to: 'closed',
  failures: 0,
};
const recordsOf = (...values: readonly object[]): readonly { readonly value: Buffer }[] =>
  values.map((value) => ({ value: json(value) }));

describe('the records of a results topic', () => {
  it('are told apart: those of deliveries, and those of endpoints', () => {
    const parsed = parseResults(recordsOf(attempt, change, attempt));
    expect(parsed).toEqual({ results: [attempt, attempt], changes: [change] });
  });

  it.each([
    ['a delivery without its id', { ...attempt, deliveryId: undefined }],
    ['a change without its failures', { ...change, failures: undefined }],
    ['another type', { ...attempt, type: 'certificate.read' }],
  ])('are refused: %s', (_, value) => {
    expect(() => parseResults(recordsOf(value))).toThrow(ZodError);
  });
});
