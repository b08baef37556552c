import { expect, it } from 'vitest';
import { casesOf, longProperty } from './long-property.ts';

it('runs all cases with CI=true', () => {
  expect([casesOf(20_000, { CI: 'true' }), casesOf(25, { CI: '1' })]).toEqual([20_000, 25]);
  expect(longProperty({ CI: 'true' })).toEqual({});
});

it.each([{}, { CI: '' }, { CI: 'false' }])('runs a tenth of them with %o, and says so', (environment) => {
  expect([casesOf(20_000, environment), casesOf(25, environment)]).toEqual([2000, 3]);
  expect(longProperty(environment)).toEqual({ meta: { isShortened: true } });
});
