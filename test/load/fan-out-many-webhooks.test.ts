import { describe, expect, it } from 'vitest';
import { ownersOfOne, startEnvironment, type FanOutEnvironment } from './fan-out-environment.ts';
import type { WatchedService } from './watched-service.ts';

const delays = ['300ms', '600ms'];
const rounds = [1, 2];

describe('one certificate for 10,000 webhooks', () => {
  it('blocks the event loop no longer than 10,000 certificates for one webhook each', async () => {
    const owners = ownersOfOne(10_000);
    const ofMany = owners.map(({ ownerId }) => ({ ownerId, count: 1, partition: 0 }));
    const ofOne = [{ ownerId: 'large', count: 1, partition: 1 }];
    await using environment = await startEnvironment({ delays });
    await environment.configure([{ ownerId: 'large', webhooks: 10_000 }, ...owners]);
    await using service = await environment.startService();
    await service.ready();
    const lagsOfMany: number[] = [];
    const lagsOfOne: number[] = [];
    for (const _ of rounds) {
      lagsOfMany.push(await longestLagMs(environment, service, ofMany));
      lagsOfOne.push(await longestLagMs(environment, service, ofOne));
    }
    // Other processes lengthen single rounds, so the shortest delays are compared.
    expect(Math.min(...lagsOfOne)).toBeLessThan(2 * Math.min(...lagsOfMany));
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(environment.repeated).toBe(0);
  });
});

describe('a service with 20,000 webhooks of one owner', () => {
  it('loads them like those of 20,000 owners, and sends one certificate to each once', async () => {
    const ofMany = await startAndLoad(ownersOfOne(20_000));
    await ofMany[Symbol.asyncDispose]();
    await using ofOne = await startAndLoad([{ ownerId: 'large', webhooks: 20_000 }]);
    const { environment, service } = ofOne;
    await environment.complete([{ ownerId: 'large', count: 1, partition: 0 }]);
    await service.until('all webhooks have the certificate', () => environment.received >= 20_000);
    const exit = await service.stop();

    expect(exit).toEqual({ code: 0, signal: null });
    expect(ofOne.loadingMs).toBeLessThan(2 * ofMany.loadingMs);
    expect(environment.received).toBe(20_000);
    expect(environment.repeated).toBe(0);
    expect(service.largestHeapMB).toBeLessThan(300);
  });
});

interface Loaded extends AsyncDisposable {
  readonly environment: FanOutEnvironment;
  readonly service: WatchedService;
  /** CPU time from the start of the process until it is ready. */
  readonly loadingMs: number;
}

/** Starts a service that has the webhooks of these owners. Resolves once it is ready. */
async function startAndLoad(owners: Parameters<FanOutEnvironment['configure']>[0]): Promise<Loaded> {
  await using stack = new AsyncDisposableStack();
  const environment = stack.use(await startEnvironment({ delays }));
  await environment.configure(owners);
  const service = stack.use(await environment.startService());
  const loadingMs = await service.ready();
  const owned = stack.move();
  return { environment, service, loadingMs, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Writes certificates that become 10,000 deliveries. Returns the longest delay of the event loop until all are received. */
async function longestLagMs(
  environment: FanOutEnvironment,
  service: WatchedService,
  certificates: Parameters<FanOutEnvironment['complete']>[0],
): Promise<number> {
  const before = environment.received;
  await service.restartSamples();
  await environment.complete(certificates);
  await service.until('all deliveries are received', () => environment.received >= before + 10_000);
  return service.longestLagMs;
}
