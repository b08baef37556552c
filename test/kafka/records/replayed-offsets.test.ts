import { expect, it } from 'vitest';
import { ReplayedOffsets } from '../../../src/kafka/records/replayed-offsets.ts';

it('has the places that were added, each with its source', () => {
  const places = new ReplayedOffsets();
  const added = [0, 1023, 1024, 5_000_000_000].map((offset) => ({ partition: offset % 2, offset }));
  for (const place of added) places.add(place, `topic/0/${place.offset}`);
  for (const place of added) {
    expect(places.has(place, `topic/0/${place.offset}`)).toBe(true);
    expect(places.has(place, 'topic/0/7')).toBe(false);
    expect(places.has({ ...place, partition: 1 - place.partition }, `topic/0/${place.offset}`)).toBe(false);
  }
  expect(places.has({ partition: 0, offset: 2 }, 'topic/0/2')).toBe(false);
});

it('takes some four bytes for each of a million', () => {
  const places = new ReplayedOffsets();
  const before = process.memoryUsage().arrayBuffers;
  for (let offset = 0; offset < 1_000_000; offset += 1) places.add({ partition: 0, offset }, 'source');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000);
});
