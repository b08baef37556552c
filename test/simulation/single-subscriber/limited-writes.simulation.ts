import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runOverload, type Overload } from './limited-writes.ts';

const timeouts = fc.constantFrom(
  { DELIVERY_TIMEOUT: '2s', DELIVERY_CONNECT_TIMEOUT: '1s' },
  { DELIVERY_TIMEOUT: '15s', DELIVERY_CONNECT_TIMEOUT: '5s' },
  { DELIVERY_TIMEOUT: '20s', DELIVERY_CONNECT_TIMEOUT: '5s' },
);
const delays = fc.constantFrom('10s,1m,10m,1h,6h,24h,36h', '1s,30s,5m,1h', '1m,2h');

/** Some thousand certificates, and at least a backlog of ten. */
const overload: fc.Arbitrary<Overload> = fc
  .record({
    perMinute: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 600 })),
    isPaced: fc.boolean(),
    inFlight: fc.integer({ min: 1, max: 16 }),
    inflow: fc.integer({ min: 101, max: 150 }).map((percent) => percent / 100),
    answerMs: fc.constantFrom(20, 300, 1500),
    timeout: timeouts,
    RETRY_DELAYS: delays,
  })
  .map(({ perMinute, isPaced, inFlight, inflow, answerMs, timeout, RETRY_DELAYS }) => {
    const intervalMs = Math.max(isPaced ? 60_000 / perMinute : 0, answerMs / inFlight);
    const certificates = Math.min(3000, Math.max(400, 12 / (inflow - 1)));
    return {
      limits: isPaced ? { perMinute, inFlight } : { inFlight },
      inflow,
      answerMs,
      hours: Math.min(12, (certificates * intervalMs) / inflow / 3_600_000),
      environment: { ...timeout, RETRY_DELAYS },
    };
  });

const environment = {};
const reported: readonly Overload[] = [
  { limits: { perMinute: 7 }, inflow: 1.05, answerMs: 20, hours: 4, environment },
  { limits: { perMinute: 4 }, inflow: 1.05, answerMs: 20, hours: 4, environment },
  { limits: { inFlight: 1 }, inflow: 1.05, answerMs: 5000, hours: 4, environment },
];

it(
  'writes a limited delivery at most four times more than its wait has stays in tiers, and lets none wait much longer than the backlog',
  { timeout: 1_200_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(overload, async (one) => {
        const { undelivered, excess, longestWait } = await runOverload(one);
        expect(undelivered).toBe(0);
        expect(excess).toBeLessThanOrEqual(4);
        expect(longestWait).toBeLessThanOrEqual(1.5);
      }),
      { seed: 1, numRuns: 40, examples: reported.map((one) => [one]) },
    );
  },
);
