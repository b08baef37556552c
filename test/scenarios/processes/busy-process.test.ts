import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../../support/time/eventually.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';

const limit = 'unsettled_records_limit';

it('lowers its intake limit while its event loop is busy, and raises it again afterwards', async () => {
  await using platform = await startPlatform();
  await using service = await runService(platform.environment);
  expect(await service.metric(limit)).toBe(10_000);
  const busy = new AbortController();
  const done = blockEventLoop(busy.signal);
  await eventually('the limit is lower', async () => ((await service.metric(limit)) ?? 0) < 10_000);
  busy.abort();
  await done;
  await eventually('the limit is back', async () => (await service.metric(limit)) === 10_000);
});

/** Blocks the event loop for 200 ms at a time. */
async function blockEventLoop(signal: AbortSignal): Promise<void> {
  const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  while (!signal.aborted) {
    Atomics.wait(nothing, 0, 0, 200);
    await setTimeout(1);
  }
}
