import { describe, expect, it } from 'vitest';
import { settledHeapBytes } from '../../support/resources/memory.ts';
import { SingleSubscriberService, deliveredInOneSecond, timesOut } from './single-subscriber-service.ts';

const hourMs = 3_600_000;

describe('an endpoint that never recovers', () => {
  it('costs at most eight writes to Kafka per delivery in its 72 hours', { timeout: 600_000 }, async () => {
    using service = new SingleSubscriberService(() => timesOut);
    void service.issue(16);
    await service.clock.advance(20_000);
    void service.issue(2000);
    await service.clock.advance(73 * hourMs);
    expect(service.deadLettered.size).toBeGreaterThan(0);
    expect(total(service.deadLettered)).toBe(2016);
    // Each probe is an attempt of one delivery, which then starts again at the first tier.
    expect(service.tiers.writes + 2016).toBeLessThanOrEqual(8 * (2016 + service.requests));
    expect(service.requests).toBeLessThan(100);
  });

  it(
    'costs at most twelve writes per delivery that arrives before the failure is known',
    { timeout: 600_000 },
    async () => {
      using service = new SingleSubscriberService(() => timesOut);
      void service.issue(2000);
      await service.clock.advance(73 * hourMs);
      expect(total(service.deadLettered)).toBe(2000);
      expect((service.tiers.writes + 2000) / 2000).toBeLessThanOrEqual(12);
    },
  );
});

describe('an endpoint that answers sixteen requests per second', () => {
  it('receives all of fifty thousand certificates that are issued at once', { timeout: 1_200_000 }, async () => {
    const issued = 50_000;
    using service = new SingleSubscriberService(() => deliveredInOneSecond);
    void service.issue(issued);
    for (let hour = 0; hour < 8 && service.delivered.size < issued; hour += 1) await service.clock.advance(hourMs);
    const latest = [...service.delivered.values()].reduce((late, at) => Math.max(late, at), 0);
    expect(service.delivered.size).toBe(issued);
    expect(service.requests).toBe(issued);
    // The minimum is 52 minutes. No delivery returns before its estimated free time, so each gets only one.
    expect(latest).toBeLessThan(1.1 * (issued / 16) * 1000);
    expect(service.deferred.get('overloaded')).toBeLessThanOrEqual(issued);
    expect(service.tiers.writes / issued).toBeLessThanOrEqual(10);
  });
});

describe('the backlog of a failing endpoint', () => {
  it('takes no memory in an hour', { timeout: 1_200_000 }, async () => {
    using service = new SingleSubscriberService(() => timesOut);
    const heap: number[] = [];
    for (let minute = 0; minute < 60; minute += 1) {
      for (let second = 0; second < 60; second += 1) {
        void service.issue(20);
        await service.clock.advance(1000);
      }
      if (minute % 10 === 9) heap.push(await settledHeapBytes());
    }
    const [first = 0] = heap;
    expect(Math.max(...heap) - first).toBeLessThan(4 * 1024 * 1024);
  });
});

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
