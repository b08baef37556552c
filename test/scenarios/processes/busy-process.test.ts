import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../../support/time/eventually.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';

const limit = 'unsettled_records_limit';

it('takes in less while its event loop is late, and all it may once that is over', async () => {
  await using platform = await startPlatform();
  await using service = await runService(platform.environment);
  expect(await service.metric(limit)).toBe(10_000);
  const working = new AbortController();
  const done = work(working.signal);
  await eventually('it takes in less', async () => ((await service.metric(limit)) ?? 0) < 10_000);
  working.abort();
  await done;
  await eventually('it takes in all it may', async () => (await service.metric(limit)) === 10_000);
});

/** Turn after turn that nothing else can happen in. */
async function work(signal: AbortSignal): Promise<void> {
  const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  while (!signal.aborted) {
    Atomics.wait(nothing, 0, 0, 200);
    await setTimeout(1);
  }
}
