import { describe, expect, it } from 'vitest';
import { Baselines, runSituation } from './run-situation.ts';
import { isolationMutants } from './mutants.ts';

const baselines = new Baselines();

describe('the isolation scenarios', () => {
  it.each(isolationMutants)('show that $name', { timeout: 600_000 }, async ({ shownBy, mutation }) => {
    const figures = {
      without: await baselines.of(shownBy.without),
      trouble: await runSituation(shownBy.trouble, mutation),
    };
    const violations = shownBy.bounds.map(({ violation }) => violation(figures));
    expect(violations.some((violation) => violation !== undefined)).toBe(true);
  });
});
