import { expect, it } from 'vitest';
import { defaultSettings } from '../../../../support/service/default-settings.ts';
import { ClientUnderTest } from '../../client-under-test.ts';
import { runSoak, startEndpoints } from './soak.ts';

it('an attempt at any hostile endpoint takes tens of milliseconds of the processor', { timeout: 60_000 }, async () => {
  await using hostile = await startEndpoints('hostile');
  const expensive: [name: string, processorMs: number][] = [];
  for (const { name, port } of hostile.ports) {
    const costs: number[] = [];
    for (const _ of [1, 2, 3]) costs.push(await processorMsOf(port));
    // The least of three, because a busy machine only adds to them.
    if (Math.min(...costs) > 70) expensive.push([name, Math.min(...costs)]);
  }
  expect(expensive).toEqual([]);
});

it('ten hostile endpoints at once lose their circuits, and fail no healthy delivery', { timeout: 60_000 }, async () => {
  const { failedHealthy, hostileAttempts } = await runSoak(3000);
  expect(failedHealthy).toBe(0);
  const { circuit, delivery } = defaultSettings();
  // What is in flight when the circuit opens comes on top. A 2xx frees its place before the flood behind it is cut.
  const most = circuit.failures + 2 * delivery.maxInFlightPerEndpoint;
  expect(Object.entries(hostileAttempts).filter(([, attempts]) => attempts > most)).toEqual([]);
});

/** Sends one request, and returns the processor time until its connection is closed. */
async function processorMsOf(port: number): Promise<number> {
  await using client = new ClientUnderTest({ timeoutMs: 5000, connectTimeoutMs: 4000 });
  const before = process.cpuUsage();
  await client.outcome({ port });
  await client.open(0);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
