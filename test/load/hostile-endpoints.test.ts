import { expect, it } from 'vitest';
import { ClientUnderTest } from '../http/client-under-test.ts';
import { startHostileEndpoints } from '../http/hostile/processes/start-endpoints.ts';

it('an attempt at any hostile endpoint takes tens of milliseconds of the processor', async () => {
  await using hostile = await startHostileEndpoints();
  const expensive: [name: string, processorMs: number][] = [];
  for (const { name, port } of hostile.ports) {
    const costs: number[] = [];
    for (const _ of [1, 2, 3]) costs.push(await processorMsOf(port));
    // The least of three, because a busy machine only adds to them.
    if (Math.min(...costs) > 99) expensive.push([name, Math.min(...costs)]);
  }
  expect(expensive).toEqual([]);
});

/** Sends one request, and returns the processor time until its connection is closed. */
async function processorMsOf(port: number): Promise<number> {
  await using client = new ClientUnderTest();
  const before = process.cpuUsage();
  await client.outcome({ port });
  await client.open(0);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
