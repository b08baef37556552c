import { expect, it } from 'vitest';
import { Liveness } from '../../src/service/liveness.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

it('names a part that has done nothing for longer than its client may wait for Kafka', async () => {
  const clock = new ManualClock();
  const liveness = new Liveness(clock);
  const failing = { name: 'the writer of retry.1m', activeAt: 0, lastActivityAt: () => failing.activeAt };
  const idle = (name: string) => ({ name, lastActivityAt: () => 0 });
  liveness.watch({
    readers: [idle('the consumer of group certificates')],
    followers: [idle('the reader of webhooks')],
    writers: [idle('the writer of retry.10s'), failing],
  });
  await clock.advance(120_001);
  failing.activeAt = clock.monotonic();
  expect(liveness.stalled()).toEqual(['the consumer of group certificates has done nothing for 120 s']);
  await clock.advance(480_000);
  expect(liveness.stalled()).toEqual([
    'the consumer of group certificates has done nothing for 120 s',
    'the reader of webhooks has done nothing for 600 s',
    'the writer of retry.10s has done nothing for 600 s',
  ]);
});
