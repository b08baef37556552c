import { expect, it } from 'vitest';
import { quantile } from '../bench/quantile.ts';
import { runSoak } from '../deliveries/http/hostile/soak/soak.ts';
import { defaultSettings } from '../support/service/default-settings.ts';

/** A pause that a busy machine makes in any process. */
const pauseMs = 50;

it('ten endpoints that send too much, in ten ways, for 30 s, delay no delivery to others once their circuits are open', async () => {
  const { alone, beside, failedHealthy, hostileAttempts, memoryMiB } = await runSoak(30_000);
  // By then the circuits are open. Before, each attempt takes tens of milliseconds of the processor.
  const later = beside.slice(Math.ceil(beside.length / 3));
  const p99 = { alone: quantile(alone, 0.99), beside: quantile(beside, 0.99), later: quantile(later, 0.99) };
  process.stdout.write(`Floods: ${JSON.stringify({ p99, hostileAttempts, memoryMiB })}\n`);
  expect(failedHealthy).toBe(0);
  // Without its circuit, each endpoint would get 150 attempts. A 2xx frees its place before the flood behind it is cut.
  const { circuit, delivery } = defaultSettings();
  const mostAttempts = circuit.failures + 2 * delivery.maxInFlightPerEndpoint;
  expect(Object.entries(hostileAttempts).filter(([, attempts]) => attempts > mostAttempts)).toEqual([]);
  expect(p99.later).toBeLessThanOrEqual(2 * p99.alone + pauseMs);
  // The collector alone moves it by some MiB.
  expect(memoryMiB[1] - memoryMiB[0]).toBeLessThan(32);
});
