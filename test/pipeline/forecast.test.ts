import { expect, it } from 'vitest';
import { Forecast } from '../../src/pipeline/forecast.ts';

it('expects eight deliveries of each certificate before any was planned', () => {
  const forecast = new Forecast();
  expect(forecast.deliveries).toBe(0);
  forecast.looking();
  forecast.looking();
  expect(forecast.deliveries).toBe(16);
});

it.each([0, 1, 10])('expects as many as the latest certificates became, here %i each', (each) => {
  const forecast = new Forecast();
  for (let certificate = 0; certificate < 200; certificate += 1) {
    forecast.looking();
    forecast.looked(each);
  }
  expect(forecast.deliveries).toBe(0);
  forecast.looking();
  expect(forecast.deliveries).toBeCloseTo(each, 3);
});

it('learns nothing from a certificate that was abandoned', () => {
  const forecast = new Forecast();
  forecast.looking();
  forecast.looked(undefined);
  forecast.looking();
  expect(forecast.deliveries).toBe(8);
});
