import { expect, it } from 'vitest';
import { ReplayedOffsets } from '../../../src/kafka/records/replay-headers.ts';

it('has the offsets that were added, each with its source', () => {
  const replayed = new ReplayedOffsets();
  const added = [0, 1023, 1024, 5_000_000_000].map((offset) => ({ partition: offset % 2, offset }));
  for (const position of added) replayed.add(position, `topic/0/${position.offset}`);
  for (const position of added) {
    expect(replayed.has(position, `topic/0/${position.offset}`)).toBe(true);
    expect(replayed.has(position, 'topic/0/7')).toBe(false);
    expect(replayed.has({ ...position, partition: 1 - position.partition }, `topic/0/${position.offset}`)).toBe(false);
  }
  expect(replayed.has({ partition: 0, offset: 2 }, 'topic/0/2')).toBe(false);
});

it('takes less than 8 bytes for each of a million neighbouring offsets', () => {
  const replayed = new ReplayedOffsets();
  const before = process.memoryUsage().arrayBuffers;
  for (let offset = 0; offset < 1_000_000; offset += 1) replayed.add({ partition: 0, offset }, 'source');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000);
});
