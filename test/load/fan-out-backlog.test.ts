import { describe, expect, it } from 'vitest';
import { quantile } from '../bench/quantile.ts';
import { ownersOfOne, partitions, startEnvironment, type FanOutEnvironment } from './fan-out-environment.ts';
import type { WatchedService } from './watched-service.ts';

/** Other owners. Their certificates come in turn in the last partition, which is theirs, and behind the backlog. */
const others = ownersOfOne(100);
const lastPartition = partitions - 1;

/** 400 certificates of the owner with many webhooks, in all other partitions. */
const backlog = Array.from({ length: lastPartition }, (_, partition) => ({
  ownerId: 'large',
  count: 400 / lastPartition,
  partition,
}));

/** Requests after which the service is stopped. The whole backlog would take minutes. */
const enough = 20_000;
/** The timeout of the chart's liveness probe. */
const probeTimeoutMs = 5000;

describe.each([{ webhooks: 1000 }, { webhooks: 300 }])(
  'a service that starts with 400 waiting certificates of an owner with $webhooks webhooks',
  ({ webhooks }) => {
    it('answers its probe, keeps its heap small, delays no other owner and loses nothing', async () => {
      const large = { ownerId: 'large', webhooks };
      await using environment = await startEnvironment({ delays: ['10m', '1h'] });
      await environment.configure([large, ...others]);
      await environment.complete(backlog);
      await using service = await environment.startService();
      await service.until('the fan-out has begun', () => environment.received >= 1000);
      const delays = await delaysOfOthers(environment, service);
      await service.until('enough requests are received', () => environment.received >= enough);
      const exit = await service.stop();
      const committed = await environment.committed();
      const settled = await environment.settledDeliveries();

      expect(exit).toEqual({ code: 0, signal: null });
      expect(service.longestSilenceMs).toBeLessThan(probeTimeoutMs);
      expect(service.longestWorkMs).toBeLessThan(1500);
      expect(service.largestHeapMB).toBeLessThan(300);
      for (const delaysMs of [delays.inOwnPartition, delays.behindBacklog]) {
        expect(quantile(delaysMs, 0.5)).toBeLessThan(2000);
        expect(Math.max(...delaysMs)).toBeLessThan(5000);
      }
      const passed = backlog.flatMap(({ partition }) =>
        environment.deliveryIdsOf(large, { partition, records: committed.get(partition) ?? 0 }),
      );
      expect(passed.length).toBeGreaterThan(0);
      expect(passed.filter((id) => !settled.has(id))).toEqual([]);
      expect(environment.repeated).toBe(0);
      expect(await environment.deadLetters()).toBe(0);
    });
  },
);

/** Writes certificates of other owners, each after the arrival of the previous one. Returns their delays. */
async function delaysOfOthers(environment: FanOutEnvironment, service: WatchedService): Promise<Delays> {
  const delays: Delays = { inOwnPartition: [], behindBacklog: [] };
  for (const [number, { ownerId }] of others.entries()) {
    const isBehind = number % 2 === 1;
    const writtenAt = Date.now();
    await environment.complete([{ ownerId, count: 1, partition: isBehind ? 0 : lastPartition }]);
    await service.until(`${ownerId} has its certificate`, () => environment.firstReceivedAt(ownerId) !== undefined);
    const delayMs = (environment.firstReceivedAt(ownerId) ?? 0) - writtenAt;
    delays[isBehind ? 'behindBacklog' : 'inOwnPartition'].push(delayMs);
    if (environment.received >= enough && number > 0) break;
  }
  return delays;
}

/** Times in ms from writing a certificate to its arrival. */
interface Delays {
  readonly inOwnPartition: number[];
  readonly behindBacklog: number[];
}
